import { i18n } from '@lingui/core'
import { attachedAddress } from '../../../worker/requestedFile.ts'
import { createFailure, failureFrom, registerSentences, success } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'

registerSentences({
  offline_file: () => i18n._('This file couldn’t be loaded. Try again when you’re back online.'),
})

/** Milliseconds after which the frame or object URL of a download is released. */
const RELEASE_DELAY_MS = 60_000

/** Lets the service worker stream a file to the disk. */
export async function saveByWorker(path: string, name: string): Promise<Outcome> {
  const address = attachedAddress(path, { name, download: true })
  // Checked first, since nothing reports a failed download to the page.
  const { ok, status } = await fetch(address, { method: 'HEAD' })
  if (!ok) {
    const failure = navigator.onLine ? failureFrom({ status }) : createFailure('offline_file')
    return { ok: false, failure }
  }
  // In a frame, since browsers bypass service workers for links with `download`.
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.src = address
  document.body.append(frame)
  setTimeout(() => frame.remove(), RELEASE_DELAY_MS)
  return success(undefined)
}

/** Saves bytes that are in this page's memory, and releases them. */
export async function saveByPage(
  acquired: { url: Promise<string>; release: () => void },
  name: string,
): Promise<Outcome> {
  const link = document.createElement('a')
  link.href = await acquired.url
  link.download = name
  link.click()
  // The browser reads the URL after the click.
  setTimeout(acquired.release, RELEASE_DELAY_MS)
  return success(undefined)
}

/** Saves a file that the page has made. */
export function saveBlob(file: Blob, name: string): Promise<Outcome> {
  const url = URL.createObjectURL(file)
  return saveByPage({ url: Promise.resolve(url), release: () => URL.revokeObjectURL(url) }, name)
}
