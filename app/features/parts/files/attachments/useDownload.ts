import { useCallback } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import type { Uuid } from '../../../../../wire/scalars.ts'
import { downloadFile } from '../../../../data/files/download/useFileUrl.ts'
import { useToast } from '../../../../ui/toast.ts'

/** Downloads a file under its name; shows a toast if that fails. */
export function useDownload(channelId: Uuid, file: Attachment): () => void {
  const showToast = useToast()
  return useCallback(() => {
    void downloadFile(channelId, file.id, file.name).then((outcome) => {
      if (!outcome.ok) showToast({ text: outcome.failure.message })
    })
  }, [channelId, file.id, file.name, showToast])
}
