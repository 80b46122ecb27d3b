import type { Message } from '../../../../wire/messages.ts'
import type { TimelineItem } from '../../../data/messages/timeline.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import { isSameDay } from '../../../ui/dates.ts'

/** A row of the list: an item, and the dividers above it. */
export interface Row {
  id: string
  item: TimelineItem
  /** Shows the author: the first of a run of messages. */
  isFirstOfRun: boolean
  /** The day for the divider above, or null if it is the day of the row before. */
  day: string | null
  /** The "new" line is above: the reader has seen nothing from here on. */
  isNew: boolean
  /** Consecutive messages of people who joined or left, of which `item` is the first. */
  run?: Message[]
}

interface Options {
  /** Profile id of the reader. */
  me: string
  scope: 'channel' | 'thread'
  /** The "new" line is placed before this number, or the next one after it; null: no line. */
  firstUnread: number | null
  hidden: ReadonlySet<string>
  /** When the element above the first row was written: its day needs no second divider. */
  after?: string | undefined
}

/** From this many on, messages that people joined or left are one row. */
const MIN_MEMBERSHIP_RUN = 3
/** Messages of one author within this time share a header. */
const MAX_RUN_GAP_MS = 5 * 60_000

/**
 * Turns items into rows. Deleted messages are left out unless they have replies, and so are the `hidden` ones, whose
 * deletion can still be undone. Day and "new" dividers belong to the row below them, so that the position of a row
 * does not depend on how much is loaded above. Own messages are never new.
 */
export function timelineRows(items: readonly TimelineItem[], options: Options): Row[] {
  const rows: Row[] = []
  let isNewLinePlaced = options.firstUnread === null
  // The time of a moved message would be out of order in a channel, but not among the replies that moved with it.
  const timeOf = options.scope === 'thread' ? shownTime : createdAt
  for (const item of items) {
    if (options.hidden.has(item.id) || isHiddenDeleted(item)) continue
    const before = rows.at(-1)
    const at = timeOf(item)
    const previous = before ? timeOf(before.item) : options.after
    const day = previous && isSameDay(previous, at) ? null : at
    const isNew = !isNewLinePlaced && isUnread(item, options) && authorOf(item, options.me) !== options.me
    isNewLinePlaced ||= isNew
    const isFirstOfRun = !before || day !== null || isNew || !isSameRun(before.item, item, options.me)
    rows.push({ id: item.id, item, isFirstOfRun, day, isNew })
  }
  return collapseRuns(rows)
}

/** Collapses runs of people who joined or left into one row each; a day or the "new" line ends a run. */
function collapseRuns(rows: Row[]): Row[] {
  const result: Row[] = []
  for (let at = 0; at < rows.length;) {
    const row = rows[at]!
    let end = at + 1
    if (isMembership(row)) while (end < rows.length && continuesRun(rows[end]!)) end += 1
    if (end - at >= MIN_MEMBERSHIP_RUN) {
      const run = rows.slice(at, end).flatMap(({ item }) => (item.kind === 'message' ? [item.message] : []))
      result.push({ ...row, run })
    } else result.push(...rows.slice(at, end))
    at = end
  }
  return result
}

function continuesRun(row: Row): boolean {
  return isMembership(row) && row.day === null && !row.isNew
}

function isMembership({ item }: Row): boolean {
  if (item.kind !== 'message' || item.message.reply_count > 0) return false
  const event = item.message.system?.event
  return event === 'joined' || event === 'left'
}

/** The author: a pending message is the reader's own. */
export function authorOf(item: TimelineItem, me: string): string {
  return item.kind === 'message' ? item.message.author_id : me
}

/** The creation time; a pending message has the time of this device. */
export function createdAt(item: TimelineItem): string {
  return item.kind === 'message' ? item.message.created_at : item.message.createdAt
}

/** The time that a row shows: of a moved message when it was written. */
function shownTime(item: TimelineItem): string {
  return item.kind === 'message' ? writtenAt(item.message) : item.message.createdAt
}

function isSystem(item: TimelineItem): boolean {
  return item.kind === 'message' && item.message.kind === 'system'
}

function isHiddenDeleted({ kind, message }: TimelineItem): boolean {
  // Of a moved thread the first message shows where it is.
  return (
    kind === 'message' &&
    message.deleted_at !== null &&
    message.reply_count === 0 &&
    (!message.extras || message.thread_root !== null)
  )
}

function isUnread(item: TimelineItem, { scope, firstUnread }: Options): boolean {
  if (firstUnread === null || item.kind === 'pending') return false
  const number = scope === 'channel' ? item.message.seq : item.message.thread_seq
  return number !== null && number >= firstUnread
}

/** The name and the emoji of another service that are displayed as the author. */
function senderOf({ kind, message }: TimelineItem): string {
  const extras = kind === 'message' ? message.extras : null
  return [extras?.sender?.name, extras?.icon].join(' ')
}

function isSameRun(before: TimelineItem, item: TimelineItem, me: string): boolean {
  if (isSystem(before) || isSystem(item)) return isSystem(before) && isSystem(item)
  if (authorOf(before, me) !== authorOf(item, me) || senderOf(before) !== senderOf(item)) return false
  return Math.abs(Date.parse(shownTime(item)) - Date.parse(shownTime(before))) < MAX_RUN_GAP_MS
}
