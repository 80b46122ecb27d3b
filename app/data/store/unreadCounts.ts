import type { Message } from '../../../wire/messages.ts'
import type { UnreadCounts } from '../../../wire/channels.ts'
import { mentionsOf } from '../../../wire/body/mentionsOf.ts'
import type { Reader } from './reader.ts'
import { rangeOf } from './ranges.ts'
import { historyStart, isBehind } from './state.ts'
import type { ChannelRows } from './state.ts'

/** Counts are capped here: shown as "99+". */
const MAX_COUNT = 100

/** Whether a text mentions the reader, a group of theirs, or everyone. */
export function isMentioned(body: string, { id: me, groups }: Reader): boolean {
  return mentionsOf(body).some(
    (who) =>
      who === me ||
      who === 'channel' ||
      who === 'here' ||
      groups?.some(({ id, hasReader }) => hasReader && id === who),
  )
}

/** Whether the message notifies the reader by a mention; a moved one does not notify them again. */
export function mentionsReader(message: Message, me: Reader): boolean {
  return message.author_id !== me.id && !message.extras?.moved && isMentioned(message.body, me)
}

function countsAsUnread(message: Message, me: Reader): boolean {
  return message.author_id !== me.id && message.deleted_at === null && message.kind === 'text'
}

/** Counts a message as unread if it is new, of someone else, and not in the server's counts. */
export function countNewMessage(
  before: ChannelRows,
  rows: ChannelRows,
  message: Message,
  me: Reader,
): ChannelRows {
  if (message.seq === null || message.seq <= before.entry.counters.last_seq) return rows
  if (!countsAsUnread(message, me) || message.rev <= rows.countsRev) return rows
  return incrementUnread(rows, message.seq, mentionsReader(message, me))
}

/** Counts a message that an `activity` event reports without its content. */
export function countActivity(
  before: ChannelRows,
  rows: ChannelRows,
  activity: { seq: number | null; rev: number; mention: boolean },
): ChannelRows {
  if (
    activity.seq === null ||
    activity.seq <= before.entry.counters.last_seq ||
    activity.rev <= rows.countsRev
  )
    return rows
  return incrementUnread(rows, activity.seq, activity.mention)
}

function incrementUnread(rows: ChannelRows, seq: number, mention: boolean): ChannelRows {
  const { counts, state, member } = rows.entry
  if (!member || seq <= state.last_read_seq) return rows
  const more: UnreadCounts = {
    unread: Math.min(MAX_COUNT, counts.unread + 1),
    mentions: Math.min(MAX_COUNT, counts.mentions + (mention ? 1 : 0)),
  }
  return { ...rows, entry: { ...rows.entry, counts: more } }
}

/**
 * Unread counts after the read marker: counted from the rows if all of them are loaded; else the server's last counts.
 * `pendingRead`: seq read here and not confirmed yet. `pendingUnread`: position of the read marker once a pending "mark
 * unread" is executed; null: none is pending. While the groups are not loaded, only the server knows whether a mention of
 * a group is one of the reader.
 */
export function unreadOf(
  rows: ChannelRows,
  me: Reader,
  pendingRead: number,
  pendingUnread: number | null = null,
): UnreadCounts {
  const { entry } = rows
  // Only members have a read marker.
  if (!entry.member) return { unread: 0, mentions: 0 }
  const serverMarker = entry.state.last_read_seq
  const readMarker = Math.max(pendingUnread ?? Math.max(serverMarker, pendingRead), historyStart(entry) - 1)
  const last = entry.counters.last_seq
  if (readMarker >= last) return { unread: 0, mentions: 0 }
  const window = rangeOf(rows.windows, last)
  if (!window || window.from > readMarker + 1 || isBehind(rows)) {
    if (readMarker === serverMarker) return entry.counts
    // An estimate until the response: all messages between both positions, and at most those that exist.
    const { unread, mentions } = entry.counts
    const max = Math.min(MAX_COUNT, last - readMarker)
    return {
      unread: Math.min(max, unread + Math.max(0, serverMarker - readMarker)),
      mentions: Math.min(max, mentions),
    }
  }
  let unread = 0
  let mentions = 0
  let isUnknown = false
  for (let seq = last; seq > readMarker && unread < MAX_COUNT; seq -= 1) {
    const message = rows.messages.get(rows.byNumber.get(seq) ?? '')
    if (!message || !countsAsUnread(message, me)) continue
    unread += 1
    if (mentionsReader(message, me)) mentions += 1
    else if (me.groups === null && message.body.includes('<@&')) isUnknown = true
  }
  if (isUnknown && readMarker === serverMarker) return { unread, mentions: entry.counts.mentions }
  return { unread, mentions }
}
