import { i18n } from '@lingui/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import type { ChannelView } from '../../data/channels.ts'
import { markSeen } from '../../data/messages.ts'
import { useTimeline } from '../../data/timeline.ts'
import { Composer, type ComposerHandle } from '../../features/composer/Composer.tsx'
import { TypingLine } from '../../features/composer/TypingLine.tsx'
import { useRemovals } from '../../features/message/removals.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { MessageList } from '../../features/timeline/MessageList.tsx'
import { timelineRows, type Row } from '../../features/timeline/timelineRows.ts'
import { useSpokenArrivals } from '../../features/timeline/useSpokenArrivals.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Failed } from './Failed.tsx'
import { lastOwnRow } from './lastOwnRow.ts'
import { MayNotPost } from './MayNotPost.tsx'
import { Opening } from './Opening.tsx'
import styles from './Pane.module.css'
import { placeOf } from './placeOf.ts'

/** The words of a channel and where one adds to them. */
export function Conversation({ channel }: { channel: ChannelView }) {
  const { profile } = useMe()
  const timeline = useTimeline(channel.id)
  const hidden = useRemovals()
  const [editing, setEditing] = useState<string | null>(null)
  const composer = useRef<ComposerHandle>(null)
  const asked = Number(new URLSearchParams(useSearch()).get('at')) || null
  const { items, firstUnreadSeq, jumpTo, loadAfter } = timeline
  const rows = timelineRows(items, { me: profile.id, firstUnreadSeq, hidden })
  useSpokenArrivals(rows, profile.id)

  useEffect(() => {
    if (asked) jumpTo(asked)
  }, [asked, jumpTo])

  const seen = useCallback((row: Row) => {
    if (row.item.kind === 'message' && row.item.message.seq !== null)
      markSeen(row.item.message.channel_id, row.item.message.seq)
  }, [])

  const openAt = asked ? (rows.find((row) => seqOf(row) === asked)?.id ?? null) : null
  return (
    <>
      {timeline.status === 'ready' ? (
        <MessageList
          key={openAt}
          label={i18n._('Messages in {place}', { place: placeOf(channel) })}
          place="channel"
          rows={rows}
          hasBefore={timeline.hasBefore}
          hasAfter={timeline.hasAfter}
          mayPost={channel.mayPost}
          editing={editing}
          opening={
            timeline.hasBefore ? undefined : <Opening channel={channel} empty={rows.every(isSystem)} />
          }
          openAt={openAt}
          onEdit={setEditing}
          onWords={(words) => composer.current?.prepend(words)}
          onNearStart={timeline.loadBefore}
          onNearEnd={loadAfter}
          onEnd={() => jumpTo('end')}
          onSeen={seen}
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
      {channel.mayPost ? (
        <Composer
          ref={composer}
          channelId={channel.id}
          label={i18n._('Message {place}', { place: placeOf(channel) })}
          onEditLast={() => setEditing(lastOwnRow(rows, profile.id))}
        />
      ) : (
        <MayNotPost channel={channel} />
      )}
    </>
  )
}

function seqOf(row: Row): number | null {
  return row.item.kind === 'message' ? row.item.message.seq : null
}

function isSystem({ item }: Row): boolean {
  return item.kind === 'message' && item.message.kind === 'system'
}
