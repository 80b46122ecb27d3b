import { i18n } from '@lingui/core'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import SquarePen from 'lucide-react/icons/square-pen'
import Users from 'lucide-react/icons/users'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { unreadBadge } from '../../features/flows/sidebar/rows/unreadBadge.ts'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { presenceLabel } from '../../features/parts/members/presenceLabel.ts'
import { statusText } from '../../features/parts/members/StatusEmoji.tsx'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { pathTo } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { GrowingList } from '../../ui/GrowingList.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Link } from '../../ui/Link.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import styles from './entryRow.module.css'

/** The page with the user's direct and group conversations, the latest first. */
export default function DirectPage() {
  const { directs } = useSidebar()
  const open = useOverlay()
  return (
    <ListPage
      title={i18n._('Direct messages')}
      actions={
        <IconButton
          label={i18n._('Start a conversation')}
          icon={<Icon of={SquarePen} size={20} />}
          onClick={() => open({ kind: 'new-conversation' })}
        />
      }
    >
      {directs.length > 0 ? (
        <GrowingList
          label={i18n._('Direct messages')}
          className={styles.list}
          items={directs}
          selection=""
          render={(item) => <Row key={item.id} item={item} />}
        />
      ) : (
        <EmptyState
          title={i18n._('No direct messages')}
          text={i18n._('Conversations with one or more people appear here.')}
        />
      )}
    </ListPage>
  )
}

function Row({ item }: { item: SidebarItem }) {
  const { id, name, presence, status, lastMessageAt } = item
  const { bold, badge, count, label } = unreadBadge(item)
  return (
    <li>
      <Link href={pathTo('channel', { channelId: id })} className={styles.entry} data-entry>
        <Picture item={item} />
        <span className={styles.text}>
          <span className={cx(styles.first, bold && styles.bold)}>
            <bdi className={styles.name}>{name}</bdi>
            {presence ? <PresenceDot state={presence} label={presenceLabel(presence)} /> : null}
          </span>
          {status ? <bdi className={styles.second}>{statusText(status)}</bdi> : null}
        </span>
        <span className={styles.end}>
          {lastMessageAt ? (
            <time dateTime={lastMessageAt} title={formatDateTime(lastMessageAt)}>
              {formatDayAndTime(lastMessageAt)}
            </time>
          ) : null}
          {(badge ?? count) ? (
            <span>
              <Badge isUrgent={badge !== null}>
                <span aria-hidden>{badge ?? count}</span>
              </Badge>
              <span className="visually-hidden">{label}</span>
            </span>
          ) : null}
        </span>
      </Link>
    </li>
  )
}

function Picture({ item }: { item: SidebarItem }) {
  const [person] = item.people
  if (item.kind === 'direct' && person) return <Avatar id={person.id} name={person.name} />
  return (
    <span className={styles.icon}>
      <Icon of={item.selfDirect ? NotebookPen : Users} size={20} />
    </span>
  )
}
