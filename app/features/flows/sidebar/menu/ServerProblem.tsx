import { i18n } from '@lingui/core'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useServerAttention } from '../../../../data/administration/attention.ts'
import styles from './ServerProblem.module.css'

/** A warning sign for owners while the server has a problem, or while backups need something that only they can do. */
export default function ServerProblem({ id }: { id: string }) {
  if (!useServerAttention(true)) return null
  return (
    <span id={id} role="img" aria-label={i18n._('The server needs attention')} className={styles.sign}>
      <TriangleAlert size={14} strokeWidth={2.5} absoluteStrokeWidth aria-hidden />
    </span>
  )
}
