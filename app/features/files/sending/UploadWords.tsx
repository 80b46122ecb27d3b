import { i18n } from '@lingui/core'
import { sizeOf } from '../../../ui/size.ts'
import styles from './Pending.module.css'
import type { ShownUpload } from './useShownUpload.ts'

/** How far a file is, or why it is not. Only what stands still is read aloud: the bar has the rest. */
export function UploadWords({ upload, size: bytes }: { upload: ShownUpload; size: number }) {
  const size = sizeOf(bytes)
  const { state, far, failure, isShown } = upload
  if (!isShown) return size
  if (state === 'failed') {
    return (
      <span className={styles.failed} role="status">
        {failure?.sentence}
      </span>
    )
  }
  const percent = i18n.number(far / 100, { style: 'percent' })
  if (state === 'paused') return i18n._('Paused at {percent} of {size}', { percent, size })
  if (state === 'waiting') return i18n._('Waiting to resume · {size}', { size })
  return i18n._('{percent} of {size}', { percent, size })
}
