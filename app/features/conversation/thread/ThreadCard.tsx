import { i18n } from '@lingui/core'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Check from 'lucide-react/icons/check'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { ThreadState } from '../../../../wire/threads.ts'
import { useChannel, type ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { followThread } from '../../../data/messages/changeMessages.ts'
import { markThreadSeen } from '../../../data/messages/messages.ts'
import { useFetchedThreadState } from '../../../data/threads/threadState.ts'
import { useThreadEnd } from '../../../data/threads/threads.ts'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useToast } from '../../../ui/toast.ts'
import { InlineReply } from './InlineReply.tsx'
import styles from './ThreadCard.module.css'
import { ThreadMessages } from './ThreadMessages.tsx'
import { shortcutKey } from '../../../ui/shortcutKey.ts'

interface ThreadCardProps {
  channelId: string
  rootId: string
  /** Marks it as read; absent: without an undo. */
  onRead?: () => void
}

/** A thread in the inbox: its channel, first message and last replies, and a composer. */
export function ThreadCard({ channelId, rootId, onRead }: ThreadCardProps) {
  const channel = useChannel(channelId)
  // The threads of a channel that the reader has left are hidden.
  if (typeof channel === 'string') return null
  return <Card channel={channel} rootId={rootId} onRead={onRead} />
}

function Card({
  channel,
  rootId,
  onRead,
}: {
  channel: ChannelWithPermissions
  rootId: string
  onRead: (() => void) | undefined
}) {
  const thread = useThreadEnd(channel.id, rootId)
  const state = useFetchedThreadState(rootId)
  const [replying, setReplying] = useState(false)
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const unread = state?.follows ? state.counts.unread : 0
  const threadPath = pathTo('thread', { channelId: channel.id, rootId })
  const mayReply = channel.isMember && !channel.archived && !thread.root?.deleted_at
  const open = () => navigate(threadPath)
  const markRead = () => {
    if (state) markThreadSeen(channel.id, rootId, state.last_thread_seq)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const target = event.target as Element
    const isCard = target === card.current
    if (!isCard && target.tagName !== 'ARTICLE') return
    const action = {
      enter: isCard ? open : undefined,
      r: mayReply ? () => setReplying(true) : undefined,
      m: onRead ?? markRead,
    }[shortcutKey(event)]
    if (!action) return
    event.preventDefault()
    action()
  }

  return (
    <article
      ref={card}
      data-entry
      tabIndex={0}
      aria-labelledby={titleId}
      className={styles.card}
      onKeyDown={onKeyDown}
    >
      <header className={styles.header}>
        <h2 id={titleId} className={cx(styles.title, unread > 0 && styles.unread)}>
          {channel.kind === 'public' ? (
            <Icon of={Hash} />
          ) : channel.kind === 'private' ? (
            <Icon of={Lock} label={i18n._('private')} />
          ) : null}
          <Link href={threadPath} className={styles.channel}>
            <bdi>{channel.name}</bdi>
          </Link>
          <UnreadCount state={state} />
        </h2>
        <CardActions
          channel={channel}
          rootId={rootId}
          state={state}
          onRead={unread > 0 ? (onRead ?? markRead) : null}
        />
      </header>
      <ThreadMessages
        thread={thread}
        channel={channel}
        rootId={rootId}
        unread={unread}
        readTo={state?.last_read_thread_seq ?? 0}
        mayReply={mayReply}
      />
      {mayReply ? (
        <InlineReply
          channel={channel}
          rootId={rootId}
          open={replying}
          onOpen={() => setReplying(true)}
          onSent={markRead}
          onClose={() => {
            setReplying(false)
            card.current?.focus({ preventScroll: true })
          }}
        />
      ) : null}
    </article>
  )
}

/** Number of new replies; red with a mention. */
function UnreadCount({ state }: { state: ThreadState | null }) {
  if (!state?.follows || state.counts.unread === 0) return null
  const { unread, mentions } = state.counts
  const count = unread >= 100 ? '99+' : String(unread)
  return (
    <span className={cx(styles.new, mentions > 0 && styles.mention)}>
      {mentions > 0
        ? i18n._('{count} new, including a mention', { count })
        : i18n._('{count} new', { count })}
    </span>
  )
}

interface ToolsProps {
  channel: ChannelWithPermissions
  rootId: string
  state: ThreadState | null
  onRead: (() => void) | null
}

function CardActions({ channel, rootId, state, onRead }: ToolsProps) {
  const showToast = useToast()
  const follows = state?.follows !== false
  const follow = async () => {
    const outcome = await followThread(channel.id, rootId, !follows)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return (
    <div className={styles.actions}>
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
