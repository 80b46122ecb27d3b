import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import StartIcon from 'lucide-react/icons/house'
import Inbox from 'lucide-react/icons/inbox'
import MessageCircle from 'lucide-react/icons/message-circle'
import { useLayoutEffect, type ReactNode } from 'react'
import { useUnreadGroupCount } from '../../data/activity/unreadGroups.ts'
import { useSidebar } from '../../data/channels/channels.ts'
import { useThreadTotals } from '../../data/threads/threadTotals.ts'
import { unreadBadge } from '../../features/flows/sidebar/rows/unreadBadge.ts'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { pathTo, type PlainPageName } from '../../paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Link } from '../../ui/Link.tsx'
import { usePage } from '../../ui/pageAddress.ts'
import styles from './PhoneTabs.module.css'

/** The last scroll position of the list of conversations, which is not rendered while another page is shown. */
let savedPosition = { workspace: '', top: 0 }

/** The links to the main pages at the lower edge of a phone, with what is unread there. */
export default function PhoneTabs() {
  const { profile, workspace } = useMe()
  useListScrollRestoration(workspace.id)
  const { channels, directs } = useSidebar()
  const threads = useThreadTotals()
  const groups = useUnreadGroupCount()
  const mentions = [...channels, ...directs].reduce((sum, item) => sum + item.mentions, threads.mentions)
  const unreadDirects = directs.reduce((sum, item) => sum + (item.muted ? 0 : item.unread), 0)
  return (
    <nav className={styles.tabs} aria-label={i18n._('Main pages')}>
      <Tab
        page="home"
        icon={<Icon of={StartIcon} size={20} />}
        name={i18n._({ id: 'Home (page)', message: 'Home', context: 'the page with all conversations' })}
      />
      <Tab page="catchUp" icon={<Icon of={Inbox} size={20} />} name={i18n._('Catch up')} unread={groups} />
      <Tab
        page="activity"
        icon={<Icon of={AtSign} size={20} />}
        name={i18n._('Activity')}
        mentions={mentions}
      />
      <Tab
        page="direct"
        icon={<Icon of={MessageCircle} size={20} />}
        name={i18n._({ id: 'Direct (page)', message: 'Direct', context: 'direct conversations' })}
        unread={unreadDirects}
        isUrgent
      />
      <Tab page="you" icon={<Avatar id={profile.id} name={profile.name} size={20} />} name={i18n._('You')} />
    </nav>
  )
}

/** Saves the scroll position of the list of conversations, and restores it in the same workspace. */
function useListScrollRestoration(workspace: string) {
  const isHome = usePage()?.name === 'home'
  useLayoutEffect(() => {
    const list = isHome ? document.querySelector('[data-group]')?.parentElement : null
    if (!list) return
    if (savedPosition.workspace === workspace) list.scrollTop = savedPosition.top
    const onScroll = () => {
      savedPosition = { workspace, top: list.scrollTop }
    }
    list.addEventListener('scroll', onScroll)
    return () => list.removeEventListener('scroll', onScroll)
  }, [isHome, workspace])
}

interface TabProps {
  page: PlainPageName
  icon: ReactNode
  name: string
  unread?: number
  mentions?: number
  /** Whether unread messages need attention. */
  isUrgent?: boolean
}

function Tab({ page, icon, name, unread = 0, mentions = 0, isUrgent = false }: TabProps) {
  const isCurrent = usePage()?.name === page
  const kind = isUrgent ? 'direct' : 'public'
  const { badge, count, label } = unreadBadge({ unread, mentions, kind, muted: false })
  const text = badge ?? count
  return (
    <Link
      href={pathTo(page)}
      className={styles.tab}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={[name, label].filter(Boolean).join(', ')}
    >
      <span className={styles.icon}>
        {icon}
        {text ? (
          <span className={styles.badge}>
            <Badge isUrgent={badge !== null}>{text}</Badge>
          </span>
        ) : null}
      </span>
      <span className={styles.name}>{name}</span>
    </Link>
  )
}
