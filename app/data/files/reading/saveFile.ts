import { attachedAddress } from '../../../worker/attachedFile.ts'
import { done, failureFrom, failureNamed } from '../../failures.ts'
import type { Outcome } from '../../failures.ts'
import type { FileCache } from './fileCache.ts'
import { startFileWorker } from './fileWorker.ts'

/** Milliseconds for which a browser may need what a download began with. */
const LINGER = 60_000

/** Saves a file under its shown name: straight to the disk by the worker, else by this page's memory. */
export async function saveFile(path: string, name: string, cache: FileCache): Promise<Outcome> {
  return (await startFileWorker()) ? saveByWorker(path, name) : saveByPage(path, name, cache)
}

async function saveByWorker(path: string, name: string): Promise<Outcome> {
  const address = attachedAddress(path, { name, download: true })
  // Asked first, since a download that fails says so to nobody.
  const { ok, status } = await fetch(address, { method: 'HEAD' })
  if (!ok) {
    return { ok: false, failure: status === 503 ? failureNamed('offline_file') : failureFrom({ status }) }
  }
  // In a frame: browsers fetch what a link with `download` names past every worker.
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.src = address
  document.body.append(frame)
  setTimeout(() => frame.remove(), LINGER)
  return done(undefined)
}

async function saveByPage(path: string, name: string, cache: FileCache): Promise<Outcome> {
  const held = cache.hold(path)
  const link = document.createElement('a')
  link.href = await held.url
  link.download = name
  link.click()
  // The browser reads the URL after the click.
  setTimeout(held.release, LINGER)
  return done(undefined)
}
