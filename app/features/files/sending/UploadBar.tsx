import { i18n } from '@lingui/core'
import { cx } from '../../../ui/cx.ts'
import styles from './Pending.module.css'
import type { ShownUpload } from './useShownUpload.ts'

/** The thin line along the lower edge of a file that says how much of it has gone. */
export function UploadBar({ name, upload }: { name: string; upload: ShownUpload }) {
  const { state, far, isShown } = upload
  if (!isShown || state === 'failed') return null
  return (
    <span
      className={styles.bar}
      role="progressbar"
      aria-label={i18n._('Uploading {name}', { name })}
      aria-valuenow={far}
      aria-valuetext={i18n.number(far / 100, { style: 'percent' })}
    >
      <span className={cx(state === 'going' && styles.going)} style={{ inlineSize: `${far}%` }} />
    </span>
  )
}
