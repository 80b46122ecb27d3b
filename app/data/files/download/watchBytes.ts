import type { FileCache } from './fileCache.ts'

export interface FileUrl {
  /** A URL for an element, valid while mounted: the service worker's, or an object URL. */
  url: string | null
  status: 'loading' | 'ready' | 'failed'
}

export type Show = (file: FileUrl) => void

/** Passes an object URL of a file; repeats a failed request when the browser is online. Returns a function that ends it. */
export function watchBytes(from: FileCache, path: string, show: Show): () => void {
  let isStopped = false
  let acquired = from.acquire(path)
  const load = () => {
    acquired.url.then(
      (url) => {
        if (!isStopped) show({ url, status: 'ready' })
      },
      () => {
        if (isStopped) return
        show({ url: null, status: 'failed' })
        addEventListener('online', again, { once: true })
      },
    )
  }
  const again = () => {
    acquired.release()
    acquired = from.acquire(path)
    load()
  }
  load()
  return () => {
    isStopped = true
    removeEventListener('online', again)
    acquired.release()
  }
}
