import { i18n } from '@lingui/core'
import { cx } from '../../../../ui/cx.ts'
import styles from './Pending.module.css'
import type { UploadDisplay } from './useUploadDisplay.ts'

/** The progress bar at the lower edge of a file. */
export function UploadProgress({ name, upload }: { name: string; upload: UploadDisplay }) {
  const { state, percentSent, isShown } = upload
  if (!isShown || state === 'failed') return null
  return (
    <span
      className={styles.bar}
      role="progressbar"
      aria-label={i18n._('Uploading {name}', { name })}
      aria-valuenow={percentSent}
      aria-valuetext={i18n.number(percentSent / 100, { style: 'percent' })}
    >
      <span className={cx(state === 'running' && styles.active)} style={{ inlineSize: `${percentSent}%` }} />
    </span>
  )
}
