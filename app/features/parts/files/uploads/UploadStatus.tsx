import { i18n } from '@lingui/core'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import styles from './Pending.module.css'
import type { UploadDisplay } from './useUploadDisplay.ts'

/** Progress of an upload, or why it failed. Only errors are announced: the progress bar has the rest. */
export function UploadStatus({ upload, size: bytes }: { upload: UploadDisplay; size: number }) {
  const size = formatBytes(bytes)
  const { state, percentSent, failure, isShown } = upload
  if (!isShown) return size
  if (state === 'failed') {
    return (
      <span className={styles.error} role="status">
        {failure?.message}
      </span>
    )
  }
  const percent = i18n.number(percentSent / 100, { style: 'percent' })
  if (state === 'paused') return i18n._('Paused at {percent} of {size}', { percent, size })
  if (state === 'waiting') return i18n._('Waiting to resume · {size}', { size })
  return i18n._('{percent} of {size}', { percent, size })
}
