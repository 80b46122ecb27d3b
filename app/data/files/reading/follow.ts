import { attachedAddress } from '../../../worker/attachedFile.ts'
import { readBytes } from './bytes.ts'
import { fileCache } from './fileCache.ts'
import type { FileUrl } from './files.ts'
import { onForgetFiles } from './forgetFiles.ts'
import { endTransfers, onMissed, startFileWorker } from './fileWorker.ts'
import { saveByPage, saveByWorker } from './saveFile.ts'

type Show = (file: FileUrl) => void

const cache = fileCache(readBytes)

onForgetFiles(() => {
  cache.clear()
  endTransfers()
})

/**
 * Shows the bytes themselves, held by this page: what is small and shown again and again. Those that fail are tried
 * again when the browser is online. Answers how to end that.
 */
export function followBytes(path: string, show: Show): () => void {
  let gone = false
  let held = cache.hold(path)
  const look = () => {
    held.url.then(
      (url) => {
        if (!gone) show({ url, status: 'ready' })
      },
      () => {
        if (gone) return
        show({ url: null, status: 'failed' })
        addEventListener('online', again, { once: true })
      },
    )
  }
  const again = () => {
    held.release()
    held = cache.hold(path)
    look()
  }
  look()
  return () => {
    gone = true
    removeEventListener('online', again)
    held.release()
  }
}

/** Shows the worker's address where the worker serves this page, else the bytes. Answers how to end that. */
export function followStream(path: string, name: string, show: Show): () => void {
  let stop = () => {}
  let gone = false
  void startFileWorker().then((streams) => {
    if (gone) return
    stop = streams ? followWorker(path, name, show) : followBytes(path, show)
  })
  return () => {
    gone = true
    stop()
  }
}

function followWorker(path: string, name: string, show: Show): () => void {
  let round = 0
  let missed = false
  const look = () => show({ url: attachedAddress(path, { name, round }), status: 'ready' })
  const again = () => {
    if (!missed) return
    missed = false
    round += 1
    look()
  }
  const stop = onMissed(path, () => {
    missed = true
    show({ url: null, status: 'failed' })
  })
  addEventListener('online', again)
  look()
  return () => {
    removeEventListener('online', again)
    stop()
  }
}

/** Saves a file under its shown name: straight to the disk by the worker, else by this page's memory. */
export async function saveFile(path: string, name: string) {
  return (await startFileWorker()) ? saveByWorker(path, name) : saveByPage(cache.hold(path), name)
}
