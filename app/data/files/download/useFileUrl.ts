import { useEffect, useState } from 'react'
import type { Uuid } from '../../../../wire/scalars.ts'
import { failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import { filePath } from '../filePath.ts'
import type { FileUrl } from './watchBytes.ts'

const LOADING: FileUrl = { url: null, status: 'loading' }

/** Loaded with the first displayed file, so that it does not delay messages. */
const loadFileSources = () => import('./fileSources.ts')

/**
 * The URL of a file. It is fetched with the user's token instead of a signed URL, so that access ends with membership:
 * previews (a thumbnail, or as `preview` the file itself) as bytes, files through the service worker if there is one.
 * A null id fetches nothing (for lazy use).
 * @param name what a browser's own viewer calls the file
 */
export function useFileUrl(
  channelId: Uuid,
  attachmentId: Uuid | null,
  variant: 'file' | 'thumb' | 'preview',
  name = '',
): FileUrl {
  const path =
    attachmentId === null ? null : filePath(channelId, attachmentId, variant === 'thumb' ? 'thumb' : 'file')
  const [shown, setShown] = useState<{ path: string; file: FileUrl } | null>(null)
  useEffect(() => {
    if (path === null) return
    let isStopped = false
    let stop = () => {}
    const show = (file: FileUrl) => setShown({ path, file })
    const load = () => {
      loadFileSources().then(
        ({ watchPreview, watchStream }) => {
          if (isStopped) return
          stop = variant === 'file' ? watchStream(path, name, show) : watchPreview(path, show)
        },
        () => {
          if (isStopped) return
          show({ url: null, status: 'failed' })
          addEventListener('online', load, { once: true })
        },
      )
    }
    load()
    return () => {
      isStopped = true
      removeEventListener('online', load)
      stop()
    }
  }, [path, variant, name])
  return shown && shown.path === path ? shown.file : LOADING
}

/** Downloads a file under its displayed name. */
export async function downloadFile(channelId: Uuid, attachmentId: Uuid, name: string): Promise<Outcome> {
  try {
    const { saveFile } = await loadFileSources()
    return await saveFile(filePath(channelId, attachmentId, 'file'), name)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
