import { useEffect, useState } from 'react'
import type { Uuid } from '../../../../wire/linnet.ts'
import { failureFrom } from '../../failures.ts'
import type { Outcome } from '../../failures.ts'
import { readBytes } from './bytes.ts'
import { fileCache } from './fileCache.ts'
import { filePath } from '../filePath.ts'

export interface FileUrl {
  /** An address for an element, valid while mounted: the worker's, or an object URL. */
  url: string | null
  status: 'loading' | 'ready' | 'failed'
}

/** Shows a file as it comes, fails, and is tried again; answers how to end that. */
export type Follow = (path: string, show: (file: FileUrl) => void) => () => void

const cache = fileCache(readBytes)

const LOADING: FileUrl = { url: null, status: 'loading' }

/** The bytes themselves, held by this page: what is small and shown again and again. */
const followBytes: Follow = (path, show) => {
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

/** By the service worker, which is loaded with the first file that is looked at. */
function followFile(path: string, name: string, show: (file: FileUrl) => void): () => void {
  let gone = false
  let stop = () => {}
  void import('./fileWorker.ts').then(
    ({ followStream }) => {
      if (!gone) stop = followStream(path, name, show, followBytes)
    },
    () => {
      if (!gone) stop = followBytes(path, show)
    },
  )
  return () => {
    gone = true
    stop()
  }
}

/**
 * Where to load a file from. It is fetched with one's own token and nothing is signed, so a file ends with membership:
 * thumbnails as bytes, files through the service worker where there is one. A null id fetches nothing (for lazy use).
 * @param name what a browser's own viewer calls the file
 */
export function useFileUrl(
  channelId: Uuid,
  attachmentId: Uuid | null,
  what: 'file' | 'thumb',
  name = '',
): FileUrl {
  const path = attachmentId === null ? null : filePath(channelId, attachmentId, what)
  const [shown, setShown] = useState<{ path: string; file: FileUrl } | null>(null)
  useEffect(() => {
    if (path === null) return
    const show = (file: FileUrl) => setShown({ path, file })
    return what === 'thumb' ? followBytes(path, show) : followFile(path, name, show)
  }, [path, what, name])
  return shown && shown.path === path ? shown.file : LOADING
}

/** Forgets every byte that was shown and ends what is on its way, at sign-out. */
export function forgetFiles(): void {
  cache.clear()
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  serviceWorker?.controller?.postMessage({ linnet: 'forget' })
}

/** Fetches and saves under its shown name. */
export async function downloadFile(channelId: Uuid, attachmentId: Uuid, name: string): Promise<Outcome> {
  try {
    const { saveFile } = await import('./saveFile.ts')
    return await saveFile(filePath(channelId, attachmentId, 'file'), name, cache)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
