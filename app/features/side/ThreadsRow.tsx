import { i18n } from '@lingui/core'
import MessagesSquare from 'lucide-react/icons/messages-square'
import { Link, useRoute } from 'wouter'
import { useThreadTotals } from '../../data/threadTotals.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './SideRow.module.css'
import { unreadOf } from './unreadOf.ts'

/** The threads one follows, and how much waits there. */
export function ThreadsRow() {
  const [here] = useRoute('/threads')
  const totals = useThreadTotals()
  const { bold, count, badge, words } = unreadOf({ ...totals, kind: 'public', muted: false })
  const name = i18n._('Threads')
  return (
    <div className={styles.line}>
      <Link
        href="/threads"
        draggable={false}
        aria-current={here ? 'page' : undefined}
        aria-label={words ? `${name}, ${words}` : name}
        className={cx(styles.row, bold && styles.bold)}
      >
        <span className={styles.sign}>
          <Icon of={MessagesSquare} />
        </span>
        <span className={styles.name}>{name}</span>
        <span className={styles.space} />
        {badge ? <span className={styles.badge}>{badge}</span> : null}
        {count && !badge ? <span className={styles.count}>{count}</span> : null}
      </Link>
    </div>
  )
}
