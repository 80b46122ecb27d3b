import { i18n } from '@lingui/core'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Check from 'lucide-react/icons/check'
import { useRef, useState } from 'react'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import type { ThreadState } from '../../../../wire/threads.ts'
import { useChannel, type ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { followThread } from '../../../data/messages/changeMessages.ts'
import { markThreadSeen } from '../../../data/messages/messages.ts'
import { useFetchedThreadState } from '../../../data/threads/threadState.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useThreadEnd } from '../../../data/threads/threads.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useToast } from '../../../ui/toast.ts'
import { titleOf } from '../../parts/channels/titleOf.ts'
import { EntryCard } from './EntryCard.tsx'
import { InlineReply } from './InlineReply.tsx'
import { ThreadMessages } from './ThreadMessages.tsx'

const NO_COUNTS = { unread: 0, mentions: 0 }

interface ThreadCardProps {
  channelId: string
  rootId: string
  /** Marks it as read in a list that only has unread threads; absent: the thread stays in its list. */
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
  const showToast = useToast()
  const card = useRef<HTMLElement>(null)
  const { unread, mentions } = state?.follows ? state.counts : NO_COUNTS
  const threadPath = pathTo('thread', { channelId: channel.id, rootId })
  const mayReply = channel.isMember && !channel.archived && !thread.root?.deleted_at
  const markRead = () => {
    if (state) markThreadSeen(channel.id, rootId, state.last_thread_seq)
  }
  const onSent = () => {
    markRead()
    if (onRead)
      showToast({
        text: i18n._('Reply sent to {conversation}.', { conversation: isolateBidi(titleOf(channel)) }),
        action: { label: i18n._('Open'), run: () => navigate(threadPath) },
      })
  }

  return (
    <EntryCard
      ref={card}
      channel={channel}
      href={threadPath}
      unread={unread}
      mentions={mentions}
      isUrgent={mentions > 0}
      keys={{ r: mayReply ? () => setReplying(true) : undefined, m: onRead ?? markRead }}
      actions={
        <CardActions
          channel={channel}
          rootId={rootId}
          state={state}
          onRead={unread > 0 ? (onRead ?? markRead) : null}
        />
      }
    >
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
          onSent={onSent}
          onClose={() => {
            setReplying(false)
            card.current?.focus({ preventScroll: true })
          }}
        />
      ) : null}
    </EntryCard>
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
    <>
      {onRead ? (
        <IconButton label={i18n._('Mark as read')} keys="M" icon={<Icon of={Check} />} onClick={onRead} />
      ) : null}
      <IconButton
        label={follows ? i18n._('Unfollow thread') : i18n._('Follow thread')}
        icon={<Icon of={follows ? Bell : BellOff} />}
        onClick={() => void follow()}
      />
    </>
  )
}
