import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { Link } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { isChannel } from '../../../wire/channels.ts'
import type { UnreadGroup } from '../../data/activity/unreadGroups.ts'
import { openChannel, useChannel, type ChannelWithPermissions } from '../../data/channels/channels.ts'
import { limitConcurrency } from '../../data/client/limitConcurrency.ts'
import { useDeletions } from '../../data/messages/messages.ts'
import { useReadPosition } from '../../data/messages/readPosition.ts'
import { useTimelineState } from '../../data/messages/timeline.ts'
import { DayDivider } from '../../features/conversation/message/lines/Dividers.tsx'
import { useEditingId } from '../../features/conversation/message/edit/useEditingId.ts'
import { MessageRow } from '../../features/conversation/message/MessageRow.tsx'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { EntryCard } from '../../features/conversation/thread/EntryCard.tsx'
import { ThreadCard } from '../../features/conversation/thread/ThreadCard.tsx'
import cardStyles from '../../features/conversation/thread/ThreadCard.module.css'
import { timelineRows } from '../../features/conversation/message/timelineRows.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useMinute } from '../../ui/useMinute.ts'
import pageStyles from '../../shell/ListPage.module.css'
import styles from './UnreadGroupCard.module.css'

/** Unread messages of a group that are shown; the rest is in the conversation. */
const MAX_SHOWN = 8
/** Groups whose messages are requested at the same time. */
const MAX_REQUESTS = 4
/** Distance (px) to the visible part at which the messages of a group are requested. */
const NEAR_PX = 400

interface CardProps {
  group: UnreadGroup
  onRead: () => void
}

interface Props extends CardProps {
  /** Whether the group may appear. Once it has, it stays. */
  canAppear: boolean
  /** Called with the key of the group once its messages are loaded, or have failed to load. */
  onLoad: (key: string) => void
}

/** A conversation or thread with its unread messages, which are fetched when it comes into view. */
export function UnreadGroupCard({ group, canAppear, onLoad, onRead }: Props) {
  const { key, channelId, rootId } = group
  const channel = useChannel(channelId)
  const { status } = useTimelineState(channelId, rootId)
  const place = useRef<HTMLDivElement>(null)
  const isOpen = useTurnInView(place, status !== 'loading')
  useEffect(() => (isOpen ? openChannel(channelId) : undefined), [isOpen, channelId])
  const isGone = typeof channel === 'string'
  const isLoaded = isGone || (status !== 'loading' && (rootId === null || isOpen))
  useLayoutEffect(() => {
    if (isLoaded) onLoad(key)
  }, [isLoaded, onLoad, key])
  const [isShown, setShown] = useState(canAppear)
  if (canAppear && !isShown) setShown(true)
  if (isGone) return null
  return (
    <div ref={place} className={cx(styles.place, !isShown && styles.waiting)}>
      {rootId === null ? (
        <ConversationCard channel={channel} group={group} onRead={onRead} />
      ) : isOpen ? (
        <ThreadCard channelId={channelId} rootId={rootId} onRead={onRead} />
      ) : null}
    </div>
  )
}

const inTurn = limitConcurrency((load: () => Promise<void>) => load(), MAX_REQUESTS)

/** Whether the element has come near the visible part, and fewer than the maximum of others are being loaded. */
function useTurnInView(element: RefObject<HTMLElement | null>, isLoaded: boolean): boolean {
  const [hasTurn, setTurn] = useState(false)
  const end = useRef<(() => void) | null>(null)
  useEffect(() => {
    if (!element.current) return
    let left = false
    const observer = new IntersectionObserver(
      (seen) => {
        if (!seen.some((one) => one.isIntersecting)) return
        observer.disconnect()
        const load = () =>
          new Promise<void>((resolve) => {
            if (left) return resolve()
            end.current = resolve
            setTurn(true)
          })
        void inTurn(load)
      },
      { rootMargin: `${NEAR_PX}px 0px` },
    )
    observer.observe(element.current)
    return () => {
      left = true
      observer.disconnect()
      end.current?.()
    }
  }, [element])
  useEffect(() => {
    if (hasTurn && isLoaded) end.current?.()
  }, [hasTurn, isLoaded])
  return hasTurn
}

function ConversationCard({ channel, group, onRead }: CardProps & { channel: ChannelWithPermissions }) {
  return (
    <EntryCard
      channel={channel}
      href={pathTo('channel', { channelId: channel.id })}
      unread={group.unread}
      mentions={group.mentions}
      isUrgent={!isChannel(channel) || group.mentions > 0}
      keys={{ m: onRead }}
      actions={
        <IconButton label={i18n._('Mark as read')} keys="M" icon={<Icon of={Check} />} onClick={onRead} />
      }
    >
      <UnreadMessages channel={channel} unread={group.unread} />
    </EntryCard>
  )
}

/** The first unread messages, and how many more there are. */
function UnreadMessages({ channel, unread }: { channel: ChannelWithPermissions; unread: number }) {
  const { profile } = useMe()
  const hidden = useDeletions()
  const now = useMinute()
  const [editing, setEditing] = useEditingId(channel.id)
  const { readTo } = useReadPosition(channel.id)
  const { items, status, failure } = useTimelineState(channel.id, null)
  if (status === 'loading')
    return (
      <div className={cardStyles.loading}>
        <Skeleton label={i18n._('Loading messages')} rows={2} />
      </div>
    )
  if (failure) return <p className={pageStyles.note}>{failure.message}</p>
  const unreadItems = items.filter(({ kind, message }) => kind === 'message' && (message.seq ?? 0) > readTo)
  const rows = timelineRows(unreadItems, {
    me: profile.id,
    scope: 'channel',
    firstUnread: null,
    hidden,
    // Messages of today need no divider: each has its time.
    after: now.toISOString(),
  }).slice(0, MAX_SHOWN)
  const read = rows.filter(
    ({ item }) =>
      item.kind === 'message' && item.message.kind === 'text' && item.message.author_id !== profile.id,
  ).length
  const more = unread - read
  return (
    <>
      {rows.map((row, index) => (
        <div key={row.id}>
          {row.day ? <DayDivider at={row.day} /> : null}
          {row.item.kind === 'message' ? (
            <MessageRow
              message={row.item.message}
              run={row.run}
              isFirstOfRun={row.isFirstOfRun || index === 0}
              scope="channel"
              mayPost={channel.canPost}
              editing={editing === row.id}
              tabStop={false}
              onEdit={setEditing}
              onFocus={ignore}
            />
          ) : null}
        </div>
      ))}
      {more > 0 ? (
        <Link href={pathTo('channel', { channelId: channel.id })} className={cardStyles.earlier}>
          {unread >= 100
            ? i18n._('Over {more} more', { more: more - 1 })
            : i18n._('{more, plural, one {# more message} other {# more messages}}', { more })}
        </Link>
      ) : null}
    </>
  )
}

function ignore() {}
