import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { openChannel, useChannel, type ChannelView } from '../../data/channels.ts'
import { useThread } from '../../data/threads.ts'
import { Composer, type ComposerHandle } from '../../features/composer/Composer.tsx'
import { TypingLine } from '../../features/composer/TypingLine.tsx'
import { MessageRow } from '../../features/message/MessageRow.tsx'
import { useRemovals } from '../../features/message/removals.ts'
import { useMe } from '../../features/people/MeContext.ts'
import { MessageList } from '../../features/timeline/MessageList.tsx'
import { timelineRows } from '../../features/timeline/timelineRows.ts'
import { useSpokenArrivals } from '../../features/timeline/useSpokenArrivals.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Failed } from './Failed.tsx'
import { lastOwnRow } from './lastOwnRow.ts'
import styles from './Pane.module.css'
import { PaneHead } from './PaneHead.tsx'
import { placeOf } from './placeOf.ts'

interface Props {
  channelId: string
  rootId: string
  /** A third column; else it takes the conversation's place. */
  beside: boolean
}

/** A message and what was answered to it. */
export default function ThreadPane({ channelId, rootId, beside }: Props) {
  const channel = useChannel(channelId)
  const [, navigate] = useLocation()
  useEffect(() => openChannel(channelId), [channelId])
  const back = `/c/${channelId}`
  const place = typeof channel === 'string' ? '' : placeOf(channel)
  return (
    <section
      className={cx(styles.pane, beside && styles.thread)}
      data-pane
      aria-label={i18n._('Thread in {place}', { place })}
    >
      <PaneHead
        title={i18n._('Thread')}
        back={back}
        aside={
          place ? (
            <Link href={back} className={styles.openingWords}>
              <bdi>{i18n._('in {place}', { place })}</bdi>
            </Link>
          ) : null
        }
      >
        <IconButton
          label={i18n._('Close thread')}
          keys="Esc"
          icon={<Icon of={X} size={20} />}
          onClick={() => navigate(back)}
        />
      </PaneHead>
      {typeof channel === 'string' ? null : <Replies channel={channel} rootId={rootId} place={place} />}
    </section>
  )
}

interface RepliesProps {
  channel: ChannelView
  rootId: string
  place: string
}

function Replies({ channel, rootId, place }: RepliesProps) {
  const { profile } = useMe()
  const asked = Number(new URLSearchParams(useSearch()).get('at')) || null
  const thread = useThread(channel.id, rootId, asked)
  const hidden = useRemovals()
  const [editing, setEditing] = useState<string | null>(null)
  const composer = useRef<ComposerHandle>(null)
  const rows = timelineRows(thread.items, {
    me: profile.id,
    firstUnreadSeq: null,
    hidden,
    after: thread.root?.created_at,
  })
  const count = thread.root?.reply_count ?? 0
  useSpokenArrivals(rows, profile.id)

  const opening = thread.root ? (
    <>
      <div className={styles.spacer} />
      <MessageRow
        message={thread.root}
        head
        place="thread"
        mayPost={channel.mayPost}
        editing={editing === thread.root.id}
        tabStop={rows.length === 0}
        onEdit={setEditing}
        onFocus={() => {}}
      />
      {count > 0 ? (
        <p className={styles.count}>
          {i18n._('{count, plural, one {# reply} other {# replies}}', { count })}
        </p>
      ) : null}
    </>
  ) : null

  return (
    <>
      {thread.status === 'ready' ? (
        <MessageList
          label={i18n._('Replies')}
          place="thread"
          rows={rows}
          hasBefore={thread.hasBefore}
          hasAfter={thread.hasAfter}
          mayPost={channel.mayPost}
          editing={editing}
          opening={opening}
          onEdit={setEditing}
          onWords={(words) => composer.current?.prepend(words)}
          onNearStart={thread.loadBefore}
          onNearEnd={thread.loadAfter}
          onEnd={() => thread.jumpTo('end')}
        />
      ) : null}
      {thread.status === 'loading' ? (
        <div className={styles.wait}>
          <Skeleton label={i18n._('Loading the thread')} rows={4} />
        </div>
      ) : null}
      {thread.status === 'failed' ? <Failed failure={thread.failure} onRetry={null} /> : null}
      <TypingLine channelId={channel.id} threadRoot={rootId} />
      {channel.mayPost ? (
        <Composer
          ref={composer}
          channelId={channel.id}
          threadRoot={rootId}
          label={i18n._('Reply')}
          alsoTo={place}
          onEditLast={() => setEditing(lastOwnRow(rows, profile.id))}
        />
      ) : null}
    </>
  )
}
