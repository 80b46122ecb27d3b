import { i18n } from '@lingui/core'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Check from 'lucide-react/icons/check'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { Link, useLocation } from 'wouter'
import type { ThreadState } from '../../../wire/linnet.ts'
import { useChannel, type ChannelView } from '../../data/channels/channels.ts'
import { followThread, markThreadSeen } from '../../data/messages/messages.ts'
import { useAskedThreadPlace } from '../../data/threads/threadState.ts'
import { useThreadEnd } from '../../data/threads/threads.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useNotice } from '../../ui/notice.ts'
import { ReplyHere } from './ReplyHere.tsx'
import styles from './ThreadCard.module.css'
import { ThreadWords } from './ThreadWords.tsx'

/** One thread of the inbox: where it is, how it began, its last replies, and where one adds to them. */
export function ThreadCard({ channelId, rootId }: { channelId: string; rootId: string }) {
  const channel = useChannel(channelId)
  // A channel that one has left takes its threads along.
  if (typeof channel === 'string') return null
  return <Card channel={channel} rootId={rootId} />
}

function Card({ channel, rootId }: { channel: ChannelView; rootId: string }) {
  const thread = useThreadEnd(channel.id, rootId)
  const place = useAskedThreadPlace(rootId)
  const [, navigate] = useLocation()
  const [replying, setReplying] = useState(false)
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const unread = place?.follows ? place.counts.unread : 0
  const pane = `/c/${channel.id}/t/${rootId}`
  const mayReply = channel.member && !channel.archived && !thread.root?.deleted_at
  const open = () => navigate(pane, { state: { from: 'threads' } })
  const read = () => {
    if (place) markThreadSeen(channel.id, rootId, place.last_thread_seq)
  }

  function keyed(event: KeyboardEvent) {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const inside = event.target as Element
    const here = inside === card.current
    if (!here && inside.tagName !== 'ARTICLE') return
    const deed = {
      enter: here ? open : undefined,
      r: mayReply ? () => setReplying(true) : undefined,
      m: read,
    }[event.key.toLowerCase()]
    if (!deed) return
    event.preventDefault()
    deed()
  }

  return (
    <article
      ref={card}
      data-thread
      tabIndex={0}
      aria-labelledby={titleId}
      className={styles.card}
      onKeyDown={keyed}
    >
      <header className={styles.head}>
        <h2 id={titleId} className={cx(styles.title, unread > 0 && styles.unread)}>
          {channel.kind === 'public' ? (
            <Icon of={Hash} />
          ) : channel.kind === 'private' ? (
            <Icon of={Lock} />
          ) : null}
          <Link href={pane} state={{ from: 'threads' }} className={styles.place}>
            <bdi>{channel.name}</bdi>
          </Link>
          <New place={place} />
        </h2>
        <Tools channel={channel} rootId={rootId} place={place} onRead={unread > 0 ? read : null} />
      </header>
      <ThreadWords
        thread={thread}
        channel={channel}
        rootId={rootId}
        unread={unread}
        readTo={place?.last_read_thread_seq ?? 0}
        mayReply={mayReply}
      />
      {mayReply ? (
        <ReplyHere
          channel={channel}
          rootId={rootId}
          open={replying}
          onOpen={() => setReplying(true)}
          onSent={read}
          onClose={() => {
            setReplying(false)
            card.current?.focus({ preventScroll: true })
          }}
        />
      ) : null}
    </article>
  )
}

/** How much is new; red alone where one is called. */
function New({ place }: { place: ThreadState | null }) {
  if (!place?.follows || place.counts.unread === 0) return null
  const { unread, mentions } = place.counts
  const count = unread >= 100 ? '99+' : String(unread)
  return (
    <span className={cx(styles.new, mentions > 0 && styles.called)}>
      {mentions > 0
        ? i18n._('{count} new, including a mention', { count })
        : i18n._('{count} new', { count })}
    </span>
  )
}

interface ToolsProps {
  channel: ChannelView
  rootId: string
  place: ThreadState | null
  onRead: (() => void) | null
}

function Tools({ channel, rootId, place, onRead }: ToolsProps) {
  const notice = useNotice()
  const follows = place?.follows !== false
  const follow = async () => {
    const outcome = await followThread(channel.id, rootId, !follows)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  return (
    <div className={styles.tools}>
      {onRead ? (
        <IconButton label={i18n._('Mark as read')} keys="M" icon={<Icon of={Check} />} onClick={onRead} />
      ) : null}
      <IconButton
        label={follows ? i18n._('Unfollow thread') : i18n._('Follow thread')}
        icon={<Icon of={follows ? Bell : BellOff} />}
        onClick={() => void follow()}
      />
    </div>
  )
}
