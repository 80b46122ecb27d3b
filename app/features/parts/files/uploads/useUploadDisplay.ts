import type { Failure } from '../../../../data/failures/failures.ts'
import { useUpload, type Upload } from '../../../../data/files/upload/uploads.ts'
import { useDelayed } from '../../../../ui/useDelayed.ts'

/** Milliseconds that most small uploads take: progress is shown after them. */
const SHOWN_AFTER_MS = 600

export interface UploadDisplay {
  state: Upload['state']
  /** 0 to 100. */
  percentSent: number
  failure: Failure | null
  /** Whether progress is shown: a fast upload must not flicker. */
  isShown: boolean
}

/** The upload of a file as displayed; `isErrorShown`: the message already shows the error. */
export function useUploadDisplay(fileId: string, isErrorShown: boolean): UploadDisplay {
  const { state, sent, size, failure } = useUpload(fileId)
  const isLate = useDelayed(state === 'waiting' || state === 'running', SHOWN_AFTER_MS)
  const percentSent = state === 'done' ? 100 : size === 0 ? 0 : Math.round((sent / size) * 100)
  const isStopped = state === 'paused' || (state === 'failed' && !isErrorShown)
  return { state, percentSent, failure, isShown: isLate || isStopped }
}
