import { i18n } from '@lingui/core'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { markSeen, markUnread, useDeletions } from '../../data/messages/messages.ts'
import { updateUnreadLine, markAllRead, useReadPosition } from '../../data/messages/readPosition.ts'
import { useTimeline } from '../../data/messages/timeline.ts'
import { Composer, type ComposerHandle } from '../../features/conversation/composer/Composer.tsx'
import { ConversationStatus } from '../../features/conversation/composer/ConversationStatus.tsx'
import { useEditingId } from '../../features/conversation/message/edit/useEditingId.ts'
import { useRestoreUndo } from '../../features/conversation/message/menu/useRestoreUndo.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { MessageList } from '../../features/conversation/timeline/MessageList.tsx'
import { useAttention } from '../../features/conversation/timeline/readTracking/attention.ts'
import { timelineRows, type Row } from '../../features/conversation/message/timelineRows.ts'
import { useAnnounceNewMessages } from '../../features/conversation/timeline/useAnnounceNewMessages.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { LoadError } from '../../shell/LoadError.tsx'
import { lastOwnRow } from './lastOwnRow.ts'
import { ConversationIntro } from './ConversationIntro.tsx'
import paneStyles from '../../shell/Pane.module.css'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { useTargetMessage } from './useTargetMessage.ts'

const PostingNotice = lazyComponent(() => import('./PostingNotice.tsx'), { preload: true })

interface Props {
  channel: ChannelWithPermissions
  /** The message to open the list around. */
  messageId: string | null
  /** A thread is open beside it, which Escape closes first. */
  threadOpen: boolean
}

/** The messages of a channel and its composer. */
export function Conversation({ channel, messageId, threadOpen }: Props) {
  const { profile } = useMe()
  const timeline = useTimeline(channel.id)
  const { readTo, unread } = useReadPosition(channel.id)
  const hidden = useDeletions()
  const isAttentive = useAttention()
  const [editing, setEditing] = useEditingId(channel.id)
  const composer = useRef<ComposerHandle>(null)
  const [openedAt] = useState(() => Date.now())
  const { items, firstUnread, from, hasAfter, jumpTo } = timeline
  const target = useTargetMessage(channel.id, messageId, jumpTo)
  const rows = timelineRows(items, {
    me: profile.id,
    scope: 'channel',
    firstUnread,
    hidden,
  })
  useRestoreUndo(timeline.status === 'ready', hidden)
  useAnnounceNewMessages(rows, profile.id, hasAfter)

  useEffect(() => {
    if (!isAttentive && unread > 0) updateUnreadLine(channel.id)
  }, [isAttentive, channel.id, unread])

  return (
    <>
      {timeline.status === 'ready' ? (
        <MessageList
          label={i18n._('Messages in {place}', { place: titleOf(channel) })}
          scope="channel"
          listKey={channel.id}
          me={profile.id}
          rows={rows}
          hasBefore={timeline.hasBefore}
          hasAfter={hasAfter}
          mayPost={channel.isMember && !channel.archived}
          editing={editing}
          readState={{
            readTo,
            unread,
            complete: from <= readTo + 1 || !timeline.hasBefore,
            onSeen: (seq) => markSeen(channel.id, seq),
            onAllRead: () => {
              markAllRead(channel.id)
              return () => void markUnread(channel.id, readTo + 1)
            },
            isReadByEscape: !threadOpen,
            onFirstUnread: () => jumpTo(readTo + 1),
          }}
          intro={
            timeline.hasBefore ? undefined : (
              <ConversationIntro channel={channel} empty={rows.every(isSystem)} />
            )
          }
          target={target}
          openedAt={openedAt}
          onEdit={setEditing}
          onRestore={channel.canPost ? (message) => composer.current?.prepend(message) : null}
          onMoved={timeline.onMoved}
          onNearStart={timeline.loadBefore}
          onNearEnd={timeline.loadAfter}
          onEnd={() => jumpTo('end')}
          onStart={() => jumpTo(timeline.first)}
        />
      ) : null}
      {timeline.status === 'loading' ? (
        <div className={paneStyles.loading}>
          <Skeleton label={i18n._('Loading the conversation')} rows={8} />
        </div>
      ) : null}
      {timeline.status === 'failed' ? (
        <LoadError
          text={timeline.failure?.message ?? i18n._('This conversation couldn’t be loaded.')}
          onRetry={() => jumpTo('end')}
        />
      ) : null}
      <ConversationStatus
        channelId={channel.id}
        isOnWeb={channel.canPost && Boolean(channel.entry.channel.web_since)}
      />
      <Suspense>
        {channel.othersLeft || !channel.canPost ? <PostingNotice channel={channel} /> : null}
      </Suspense>
      {channel.canPost ? (
        <Composer
          ref={composer}
          channelId={channel.id}
          label={
            channel.selfDirect
              ? i18n._('Write a note')
              : i18n._('Message {place}', { place: titleOf(channel) })
          }
          onEditLast={() => setEditing(lastOwnRow(rows, profile.id))}
        />
      ) : null}
    </>
  )
}

function isSystem({ item }: Row): boolean {
  return item.kind === 'message' && item.message.kind === 'system'
}
