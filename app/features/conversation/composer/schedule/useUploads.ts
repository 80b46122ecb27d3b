import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { attempt, success } from '../../../../data/failures/failures.ts'
import type { PreparedFile } from '../../../../data/files/upload/prepareFile.ts'
import type { UploadWatch } from '../../../../data/messages/uploadScheduledFiles.ts'

/** The uploads of a dialog, which end when it is closed. */
export function useUploads() {
  const [share, setShare] = useState<number | null>(null)
  const uploads = useRef<AbortController | null>(null)
  useEffect(() => () => uploads.current?.abort('removed'), [])
  return {
    /** The progress as a sentence; null while nothing is uploaded. */
    status:
      share === null ? null : i18n._('Uploading files: {percent}%', { percent: Math.floor(share * 100) }),
    /** The result of an action that uploads files; null if the dialog was closed meanwhile. */
    run: async <T>(action: (watch: UploadWatch) => Promise<T>): Promise<T | null> => {
      const { signal } = (uploads.current = new AbortController())
      const result = await action({ signal, onProgress: setShare })
      setShare(null)
      return signal.aborted ? null : result
    },
  }
}

/** Uploads files of a scheduled message; returns them as its commands take them. */
export async function uploadFiles(channelId: string, files: readonly PreparedFile[], watch: UploadWatch) {
  if (files.length === 0) return success([])
  return attempt(async () => {
    const { uploadScheduledFiles } = await import('../../../../data/messages/uploadScheduledFiles.ts')
    return uploadScheduledFiles(channelId, files, watch)
  })
}
