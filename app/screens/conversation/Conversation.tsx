import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import type { ChannelView } from '../../data/channels/channels.ts'
import { markSeen, markUnread, useDeletions } from '../../data/messages/messages.ts'
import { drawLine, keepPlace, markAllRead, useReading } from '../../data/messages/readPosition.ts'
import { isolated } from '../../data/people/isolateBidi.ts'
import { useTimeline } from '../../data/messages/timeline.ts'
import { Composer, type ComposerHandle } from '../../features/composer/Composer.tsx'
import { TypingLine } from '../../features/composer/TypingLine.tsx'
import { useEditing } from '../../features/message/edit/useEditing.ts'
import { useUndoAgain } from '../../features/message/menu/useUndoAgain.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { MessageList } from '../../features/timeline/MessageList.tsx'
import { useAttention } from '../../features/timeline/reading/attention.ts'
import { useEscape } from '../../features/timeline/reading/useEscape.ts'
import { timelineRows, type Row } from '../../features/timeline/timelineRows.ts'
import { useSpokenArrivals } from '../../features/timeline/useSpokenArrivals.ts'
import { useNotice } from '../../ui/notice.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Failed } from './Failed.tsx'
import { lastOwnRow } from './lastOwnRow.ts'
import { MayNotPost } from './MayNotPost.tsx'
import { Opening } from './Opening.tsx'
import styles from './Pane.module.css'
import { placeOf } from './placeOf.ts'
import { useAskedMessage } from './going/useAskedMessage.ts'

interface Props {
  channel: ChannelView
  /** The message to open around. */
  messageId: string | null
  /** A thread stands beside it, which Escape closes first. */
  threadOpen: boolean
}

/** The words of a channel and where one adds to them. */
export function Conversation({ channel, messageId, threadOpen }: Props) {
  const { profile } = useMe()
  const notice = useNotice()
  const timeline = useTimeline(channel.id)
  const { readTo, unread } = useReading(channel.id)
  const hidden = useDeletions()
  const attentive = useAttention()
  const [editing, setEditing] = useEditing(channel.id)
  const composer = useRef<ComposerHandle>(null)
  const { items, firstUnreadSeq, from, hasAfter, jumpTo } = timeline
  const goal = useAskedMessage(channel.id, messageId, jumpTo)
  const rows = timelineRows(items, {
    me: profile.id,
    place: 'channel',
    firstUnread: firstUnreadSeq,
    hidden,
  })
  useUndoAgain(timeline.status === 'ready', hidden)
  useSpokenArrivals(rows, profile.id, hasAfter)

  useEffect(() => {
    if (!attentive && unread > 0) drawLine(channel.id)
  }, [attentive, channel.id, unread])

  const readAll = () => {
    const seq = readTo + 1
    markAllRead(channel.id)
    notice({
      words: i18n._('Marked as read.'),
      action: { label: i18n._('Undo'), run: () => void markUnread(channel.id, seq) },
    })
  }
  useEscape(!threadOpen && unread > 0, readAll)

  return (
    <>
      {timeline.status === 'ready' ? (
        <MessageList
          label={i18n._('Messages in {place}', { place: placeOf(channel) })}
          place="channel"
          listKey={channel.id}
          me={profile.id}
          rows={rows}
          hasBefore={timeline.hasBefore}
          hasAfter={hasAfter}
          mayPost={channel.member && !channel.archived}
          editing={editing}
          reading={{
            readTo,
            unread,
            complete: from <= readTo + 1 || !timeline.hasBefore,
            onSeen: (seq) => markSeen(channel.id, seq),
            onAllRead: readAll,
            onFirstUnread: () => jumpTo(readTo + 1),
          }}
          opening={
            timeline.hasBefore ? undefined : <Opening channel={channel} empty={rows.every(isSystem)} />
          }
          goal={goal}
          onEdit={setEditing}
          onWords={channel.mayPost ? (words) => composer.current?.prepend(words) : null}
          onNearStart={timeline.loadBefore}
          onNearEnd={timeline.loadAfter}
          onEnd={() => jumpTo('end')}
          onStart={() => jumpTo(timeline.first)}
          onPlace={(seq) => keepPlace(channel.id, seq)}
        />
      ) : null}
      {timeline.status === 'loading' ? (
        <div className={styles.wait}>
          <Skeleton label={i18n._('Loading the conversation')} rows={8} />
        </div>
      ) : null}
      {timeline.status === 'failed' ? (
        <Failed failure={timeline.failure} onRetry={() => jumpTo('end')} />
      ) : null}
      <TypingLine channelId={channel.id} />
      {channel.deserted ? <p className={styles.deserted}>{desertedWords(channel)}</p> : null}
      {channel.mayPost ? (
        <Composer
          ref={composer}
          channelId={channel.id}
          label={
            channel.notebook ? i18n._('Write a note') : i18n._('Message {place}', { place: placeOf(channel) })
          }
          onEditLast={() => setEditing(lastOwnRow(rows, profile.id))}
        />
      ) : (
        <MayNotPost channel={channel} />
      )}
    </>
  )
}

/** Former members are no longer told of anything: who writes to them should know. */
function desertedWords(channel: ChannelView): string {
  if (channel.kind === 'group')
    return i18n._('Everyone else here has left the workspace, so nobody will see new messages.')
  return i18n._('{name} has left the workspace and won’t see new messages.', {
    name: isolated(channel.name),
  })
}

function isSystem({ item }: Row): boolean {
  return item.kind === 'message' && item.message.kind === 'system'
}
