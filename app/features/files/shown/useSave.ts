import { useCallback } from 'react'
import type { Attachment, Uuid } from '../../../../wire/linnet.ts'
import { downloadFile } from '../../../data/files/download/files.ts'
import { useNotice } from '../../../ui/notice.ts'

/** Saves a file under its name; says so when that fails. */
export function useSave(channelId: Uuid, file: Attachment): () => void {
  const notice = useNotice()
  return useCallback(() => {
    void downloadFile(channelId, file.id, file.name).then((outcome) => {
      if (!outcome.ok) notice({ words: outcome.failure.sentence })
    })
  }, [channelId, file.id, file.name, notice])
}
