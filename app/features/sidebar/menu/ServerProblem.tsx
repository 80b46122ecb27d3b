import { i18n } from '@lingui/core'
import { hasServerProblem } from '../../../data/administration/health.ts'
import { useAsync } from '../../../ui/useAsync.ts'
import styles from './UnreadElsewhere.module.css'

/** A dot for owners while the server has a problem, such as a mail server that refuses to sign in. */
export default function ServerProblem() {
  const outcome = useAsync(hasServerProblem)
  if (!outcome?.ok || !outcome.value) return null
  return <span role="img" aria-label={i18n._('The server needs attention')} className={styles.dot} />
}
