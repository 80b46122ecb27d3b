import { i18n } from '@lingui/core'
import MessagesSquare from 'lucide-react/icons/messages-square'
import { useRoute } from 'wouter'
import { useThreadTotals } from '../../../data/threads/threadTotals.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SideLine } from './SideLine.tsx'
import styles from './SideRow.module.css'
import { unreadOf } from './unreadOf.ts'

/** The threads one follows, and how much waits there. */
export function ThreadsRow() {
  const [here] = useRoute('/threads')
  const totals = useThreadTotals()
  return (
    <div className={styles.line}>
      <SideLine
        href="/threads"
        here={here}
        sign={<Icon of={MessagesSquare} />}
        name={i18n._('Threads')}
        unread={unreadOf({ ...totals, kind: 'public', muted: false })}
      />
    </div>
  )
}
