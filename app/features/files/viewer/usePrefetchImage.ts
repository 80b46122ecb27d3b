import { useEffect } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import { useFileUrl } from '../../../data/files/download/files.ts'
import type { ViewedFile } from './ViewedFile.ts'

/** Larger images are fetched when they are opened. */
const MAX_BYTES = 4_000_000

/** Prefetches an adjacent file if it is an image of limited size; null fetches nothing. */
export function usePrefetchImage(shown: ViewedFile | null): void {
  const file =
    shown && fileKindOf(shown.file.type) === 'picture' && shown.file.size <= MAX_BYTES ? shown.file : null
  const { url } = useFileUrl(shown?.channelId ?? '', file?.id ?? null, 'file')
  useEffect(() => {
    if (!url) return
    const picture = new Image()
    picture.src = url
    return () => {
      picture.src = ''
    }
  }, [url])
}
