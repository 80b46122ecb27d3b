import type { Failure } from '../../../data/failures/failures.ts'
import { useUpload, type Upload } from '../../../data/files/upload/uploads.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'

/** Milliseconds in which a small file is through: until then nothing is said of it. */
const SOON = 600

export interface ShownUpload {
  state: Upload['state']
  /** 0 to 100. */
  far: number
  failure: Failure | null
  /** Whether there is something to say of it: what is through at once flickers nothing. */
  isShown: boolean
}

/** The upload of a file as it is drawn; `told`: its message says already why it failed, and what can be done. */
export function useShownUpload(fileId: string, told: boolean): ShownUpload {
  const { state, sent, size, failure } = useUpload(fileId)
  const late = useDelayed(state === 'waiting' || state === 'going', SOON)
  const far = state === 'done' ? 100 : size === 0 ? 0 : Math.round((sent / size) * 100)
  const stands = state === 'paused' || (state === 'failed' && !told)
  return { state, far, failure, isShown: late || stands }
}
