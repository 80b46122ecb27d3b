import { i18n } from '@lingui/core'
import { useWorkspaces } from '../../../../data/workspaces/workspaces.ts'
import styles from './UnreadElsewhere.module.css'

/** A dot while something is unread in another workspace of the user. */
export default function UnreadElsewhere({ id }: { id: string }) {
  const hasUnread = useWorkspaces().some((one) => one.unread || one.mentions > 0)
  if (!hasUnread) return null
  return (
    <span
      id={id}
      role="img"
      aria-label={i18n._('Unread messages in another workspace')}
      className={styles.dot}
    />
  )
}
