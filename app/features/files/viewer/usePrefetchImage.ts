import { useEffect } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import { useFileUrl } from '../../../data/files/download/files.ts'
import type { ViewedFile } from './ViewedFile.ts'

/** Larger ones are fetched when they are asked for. */
const MAX_BYTES = 4_000_000

/** Fetches a neighbour of what is shown, if it is a picture of bearable size; null fetches nothing. */
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
