import { i18n } from '@lingui/core'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { useDeletions } from '../../../data/messages/messages.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import type { ThreadEnd } from '../../../data/threads/threads.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { DayDivider, NewDivider } from '../message/lines/Dividers.tsx'
import { MessageRow } from '../message/MessageRow.tsx'
import { PendingRow } from '../message/PendingRow.tsx'
import { useEditingId } from '../message/edit/useEditingId.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { timelineRows } from '../message/timelineRows.ts'
import styles from './ThreadCard.module.css'

/** The minimum number of displayed replies. More are displayed if more are new. */
const MIN_SHOWN = 3
const MAX_SHOWN = 10

interface Props {
  thread: ThreadEnd
  channel: ChannelWithPermissions
  rootId: string
  unread: number
  readTo: number
  mayReply: boolean
}

/** The first message of a thread and its last replies. */
export function ThreadMessages({ thread, channel, rootId, unread, readTo, mayReply }: Props) {
  const { profile } = useMe()
  const hidden = useDeletions()
  const [editing, setEditing] = useEditingId(rootId)
  const { root } = thread
  if (!root)
    return (
      <div className={styles.loading}>
        <Skeleton label={i18n._('Loading the thread')} rows={2} />
      </div>
    )
  const all = timelineRows(thread.items, {
    me: profile.id,
    scope: 'thread',
    firstUnread: unread > 0 ? readTo + 1 : null,
    hidden,
    after: writtenAt(root),
  })
  const firstNew = all.findIndex((row) => row.isNew)
  const shownCount = Math.max(MIN_SHOWN, firstNew < 0 ? 0 : all.length - firstNew)
  const rows = all.slice(-Math.min(MAX_SHOWN, shownCount))
  const earlier = root.reply_count - rows.filter((row) => row.item.kind === 'message').length
  const shared = {
    scope: 'thread',
    mayPost: mayReply,
    tabStop: false,
    onEdit: setEditing,
    onFocus: ignore,
  } as const
  return (
    <>
      <MessageRow message={root} isFirstOfRun editing={editing === root.id} {...shared} />
      {earlier > 0 ? (
        <Link href={pathTo('thread', { channelId: channel.id, rootId })} className={styles.earlier}>
          {i18n._('{earlier, plural, one {# earlier reply} other {# earlier replies}}', { earlier })}
        </Link>
      ) : null}
      {rows.map((row, index) => (
        <div key={row.id}>
          {row.day ? <DayDivider at={row.day} /> : null}
          {row.isNew ? <NewDivider /> : null}
          {row.item.kind === 'message' ? (
            <MessageRow
              message={row.item.message}
              isFirstOfRun={row.isFirstOfRun || index === 0}
              editing={editing === row.id}
              {...shared}
            />
          ) : (
            <PendingRow
              message={row.item.message}
              isFirstOfRun={row.isFirstOfRun || index === 0}
              onRestore={null}
              onEdit={setEditing}
            />
          )}
        </div>
      ))}
    </>
  )
}

function ignore() {}
