import { i18n } from '@lingui/core'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import SquarePen from 'lucide-react/icons/square-pen'
import Users from 'lucide-react/icons/users'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { useLastMessage, type LastMessage } from '../../data/messages/lastMessages.ts'
import { useDrafts } from '../../data/messages/useDrafts.ts'
import { useNameOf } from '../../data/people/useNameOf.ts'
import { messageLine } from '../../features/conversation/message/lines/messageLine.ts'
import { unreadBadge } from '../../features/flows/sidebar/rows/unreadBadge.ts'
import { UnreadCount } from '../../features/flows/sidebar/rows/UnreadCount.tsx'
import { withEmoji } from '../../features/parts/emoji/EmojiText.tsx'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { presenceLabel } from '../../features/parts/members/presenceLabel.ts'
import { StatusEmoji } from '../../features/parts/members/StatusEmoji.tsx'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { pathTo } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { cx } from '../../ui/cx.ts'
import { formatDateTime } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatListTime } from '../../ui/formatListTime.ts'
import { GrowingList } from '../../ui/GrowingList.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Link } from '../../ui/Link.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import styles from './entryRow.module.css'

/** The page with the user's direct and group conversations, the latest first. */
export default function DirectPage() {
  const { directs } = useSidebar()
  const drafts = useDrafts()
  const open = useOverlay()
  return (
    <ListPage
      title={i18n._('Direct messages')}
      back={null}
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
          render={(item) => <Row key={item.id} item={item} hasDraft={drafts.has(item.id)} />}
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

function Row({ item, hasDraft }: { item: SidebarItem; hasDraft: boolean }) {
  const { id, name, presence, status, lastMessageAt } = item
  const unread = unreadBadge(item)
  const { bold } = unread
  const message = useLastMessage(id)
  return (
    <li>
      <Link href={pathTo('channel', { channelId: id })} className={styles.entry} data-entry>
        <Picture item={item} />
        <span className={styles.text}>
          <span className={cx(styles.first, bold && styles.bold)}>
            <bdi className={styles.name}>{name}</bdi>
            {presence ? <PresenceDot state={presence} label={presenceLabel(presence)} /> : null}
            {status ? <StatusEmoji id={status.id} /> : null}
          </span>
          <bdi className={cx(styles.second, styles.line, bold && styles.unread)}>
            {message ? <Line message={message} item={item} /> : null}
          </bdi>
        </span>
        <span className={cx(styles.end, styles.beside)}>
          {lastMessageAt ? (
            <time dateTime={lastMessageAt} title={formatDateTime(lastMessageAt)}>
              {formatListTime(lastMessageAt)}
            </time>
          ) : null}
          {hasDraft ? (
            <span>
              <Icon of={SquarePen} />
              <span className="visually-hidden">{i18n._('draft')}</span>
            </span>
          ) : null}
          <UnreadCount unread={unread} />
        </span>
      </Link>
    </li>
  )
}

/** The last message. In a direct conversation only the reader's own messages have an author, in notes to oneself none. */
function Line({ message, item }: { message: LastMessage; item: SidebarItem }) {
  const me = useMe().profile.id
  const nameOf = useNameOf()
  const isAuthorShown = item.kind === 'group' || (!item.selfDirect && message.author_id === me)
  return withEmoji(messageLine(message, { me, nameOf, isAuthorShown }))
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
