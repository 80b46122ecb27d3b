import type { FileCache } from './fileCache.ts'
import type { FileUrl } from './files.ts'

export type Show = (file: FileUrl) => void

/** Shows the bytes themselves; failed ones are tried again when the browser is online. Returns a function that ends it. */
export function followBytes(from: FileCache, path: string, show: Show): () => void {
  let gone = false
  let held = from.hold(path)
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
    held = from.hold(path)
    look()
  }
  look()
  return () => {
    gone = true
    removeEventListener('online', again)
    held.release()
  }
}
