import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import Files from 'lucide-react/icons/files'
import Inbox from 'lucide-react/icons/inbox'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Users from 'lucide-react/icons/users'
import { pathTo, type PlainPageName } from '../../../../paths.ts'
import { useUnreadGroupCount } from '../../../../data/activity/unreadGroups.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { useThreadTotals } from '../../../../data/threads/threadTotals.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { usePage } from '../../../../ui/pageAddress.ts'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'
import { unreadBadge } from './unreadBadge.ts'

/** Pages about all conversations: what is unread, what concerns the user, threads, files and people. */
export default function OverviewRows() {
  const { channels, directs } = useSidebar()
  const threads = useThreadTotals()
  const unread = useUnreadGroupCount()
  const mentions = [...channels, ...directs].reduce((sum, item) => sum + item.mentions, threads.mentions)
  return (
    <>
      <Row page="catchUp" icon={Inbox} name={i18n._('Catch up')} unread={unread} />
      <Row page="activity" icon={AtSign} name={i18n._('Activity')} mentions={mentions} />
      <Row page="threads" icon={MessagesSquare} name={i18n._('Threads')} {...threads} />
      <Row page="files" icon={Files} name={i18n._('Files')} />
      <Row page="people" icon={Users} name={i18n._('People directory')} />
    </>
  )
}

interface RowProps {
  page: PlainPageName
  icon: typeof Inbox
  name: string
  unread?: number
  mentions?: number
}

function Row({ page, icon, name, unread = 0, mentions = 0 }: RowProps) {
  const isCurrent = usePage()?.name === page
  return (
    <div className={styles.line}>
      <SidebarLink
        href={pathTo(page)}
        isCurrent={isCurrent}
        icon={<Icon of={icon} />}
        name={name}
        unread={unreadBadge({ unread, mentions, kind: 'public', muted: false })}
      />
    </div>
  )
}
