import { i18n } from '@lingui/core'
import MessagesSquare from 'lucide-react/icons/messages-square'
import { useRoute } from 'wouter'
import { useThreadTotals } from '../../../data/threads/threadTotals.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'
import { unreadBadge } from './unreadBadge.ts'

/** Followed threads, with the number of unread replies. */
export function ThreadsRow() {
  const [isCurrent] = useRoute('/threads')
  const totals = useThreadTotals()
  return (
    <div className={styles.line}>
      <SidebarLink
        href="/threads"
        isCurrent={isCurrent}
        icon={<Icon of={MessagesSquare} />}
        name={i18n._('Threads')}
        unread={unreadBadge({ ...totals, kind: 'public', muted: false })}
      />
    </div>
  )
}
