import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import { useRoute } from 'wouter'
import { useSidebar } from '../../../data/channels/channels.ts'
import { useThreadTotals } from '../../../data/threads/threadTotals.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'
import { unreadBadge } from './unreadBadge.ts'

/** Pages with what is new in all conversations. */
export default function OverviewRows() {
  const [isActivity] = useRoute('/activity')
  const { channels, directs } = useSidebar()
  const threads = useThreadTotals()
  const mentions = [...channels, ...directs].reduce((sum, item) => sum + item.mentions, threads.mentions)
  return (
    <div className={styles.line}>
      <SidebarLink
        href="/activity"
        isCurrent={isActivity}
        icon={<Icon of={AtSign} />}
        name={i18n._('Activity')}
        unread={unreadBadge({ unread: 0, mentions, kind: 'public', muted: false })}
      />
    </div>
  )
}
