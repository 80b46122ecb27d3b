import { i18n } from '@lingui/core'
import { Link } from 'wouter'
import type { ChannelView } from '../../data/channels/channels.ts'
import { useDeletions } from '../../data/messages/messages.ts'
import type { Thread } from '../../data/threads/threads.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { DayLine, NewLine } from '../message/lines/DayLine.tsx'
import { MessageRow } from '../message/MessageRow.tsx'
import { PendingRow } from '../message/PendingRow.tsx'
import { useEditing } from '../message/edit/useEditing.ts'
import { useMe } from '../people/MeContext.ts'
import { timelineRows } from '../timeline/timelineRows.ts'
import styles from './ThreadCard.module.css'

/** So many replies are shown, more where more are new. */
const FEW = 3
const MOST = 10

interface Props {
  thread: Thread
  channel: ChannelView
  rootId: string
  unread: number
  readTo: number
  mayReply: boolean
}

/** How a thread began, and what was said last. */
export function ThreadWords({ thread, channel, rootId, unread, readTo, mayReply }: Props) {
  const { profile } = useMe()
  const hidden = useDeletions()
  const [editing, setEditing] = useEditing(rootId)
  const { root } = thread
  if (!root)
    return (
      <div className={styles.wait}>
        <Skeleton label={i18n._('Loading the thread')} rows={2} />
      </div>
    )
  const all = timelineRows(thread.items, {
    me: profile.id,
    place: 'thread',
    firstUnread: unread > 0 ? readTo + 1 : null,
    hidden,
    after: root.created_at,
  })
  const firstNew = all.findIndex((row) => row.isNew)
  const wanted = Math.max(FEW, firstNew < 0 ? 0 : all.length - firstNew)
  const rows = all.slice(-Math.min(MOST, wanted))
  const earlier = root.reply_count - rows.filter((row) => row.item.kind === 'message').length
  const shared = {
    place: 'thread',
    mayPost: mayReply,
    tabStop: false,
    onEdit: setEditing,
    onFocus: ignore,
  } as const
  return (
    <>
      <MessageRow message={root} head editing={editing === root.id} {...shared} />
      {earlier > 0 ? (
        <Link href={`/c/${channel.id}/t/${rootId}`} state={{ from: 'threads' }} className={styles.earlier}>
          {i18n._('{earlier, plural, one {# earlier reply} other {# earlier replies}}', { earlier })}
        </Link>
      ) : null}
      {rows.map((row, index) => (
        <div key={row.id}>
          {row.day ? <DayLine at={row.day} /> : null}
          {row.isNew ? <NewLine /> : null}
          {row.item.kind === 'message' ? (
            <MessageRow
              message={row.item.message}
              head={row.head || index === 0}
              editing={editing === row.id}
              {...shared}
            />
          ) : (
            <PendingRow
              message={row.item.message}
              head={row.head || index === 0}
              onWords={null}
              onEdit={setEditing}
            />
          )}
        </div>
      ))}
    </>
  )
}

function ignore() {}
