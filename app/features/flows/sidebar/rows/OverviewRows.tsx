import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import Files from 'lucide-react/icons/files'
import Inbox from 'lucide-react/icons/inbox'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Users from 'lucide-react/icons/users'
import { useUnreadGroupCount } from '../../../../data/activity/unreadGroups.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { useThreadTotals } from '../../../../data/threads/threadTotals.ts'
import { PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { PageRow } from './PageRow.tsx'
import { unreadBadge, type UnreadBadge } from './unreadBadge.ts'

/** Pages about all conversations: what is unread, what concerns the user, threads, files and people. */
export default function OverviewRows() {
  const { channels, directs } = useSidebar()
  const threads = useThreadTotals()
  const unread = useUnreadGroupCount()
  // The tabs of a phone have the first two.
  const hasTabs = useMedia(PHONE)
  const mentions = [...channels, ...directs].reduce((sum, item) => sum + item.mentions, threads.mentions)
  return (
    <>
      {hasTabs ? null : (
        <>
          <PageRow page="catchUp" icon={Inbox} name={i18n._('Catch up')} unread={badge(unread, 0)} />
          <PageRow page="activity" icon={AtSign} name={i18n._('Activity')} unread={badge(0, mentions)} />
        </>
      )}
      <PageRow
        page="threads"
        icon={MessagesSquare}
        name={i18n._('Threads')}
        unread={badge(threads.unread, threads.mentions)}
      />
      <PageRow page="files" icon={Files} name={i18n._('Files')} unread={badge(0, 0)} />
      <PageRow page="people" icon={Users} name={i18n._('People directory')} unread={badge(0, 0)} />
    </>
  )
}

function badge(unread: number, mentions: number): UnreadBadge {
  return unreadBadge({ unread, mentions, kind: 'public', muted: false })
}
