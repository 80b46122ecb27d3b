import type { Message } from '../../../wire/messages.ts'

/** Consecutive numbers of messages, from the first to the last. */
interface Range {
  from: number
  to: number
}

/** The number of a message, and whether it is shown without the messages around it. */
interface Centre {
  number: number
  isAlone: boolean
}

/** Messages before and after each own message that an export has as its context. */
const BEFORE = 3
const AFTER = 1

/** The columns that place a message in its conversation. */
type Place = Pick<Message, 'id' | 'seq' | 'thread_root' | 'thread_seq'>
/** An own message. Notices and deleted messages have no context. */
type OwnPlace = Place & Pick<Message, 'kind' | 'deleted_at'>

/** A message beside an own one. */
export interface ContextMessage
  extends Place, Pick<Message, 'author_id' | 'body' | 'extras' | 'created_at' | 'edited_at'> {
  kind: 'text'
  attachments: { name: string; type: string }[]
}

/** A part of a conversation with own messages: consecutive messages of a channel, or a thread with its first message. */
export interface Section {
  /** The first message of the thread; null for messages of the channel. */
  root: string | null
  ranges: Range[]
}

/** The sections around own messages of one channel, in the order of these messages. */
export function sectionsAround(own: readonly OwnPlace[]): Section[] {
  const threads = new Map<string | null, Centre[]>()
  for (const { kind, deleted_at, seq, thread_root, thread_seq } of own) {
    const centres = threads.get(thread_root) ?? []
    const number = thread_root === null ? seq! : thread_seq!
    centres.push({ number, isAlone: kind === 'system' || deleted_at !== null })
    threads.set(thread_root, centres)
  }
  return [...threads].flatMap(([root, centres]): Section[] => {
    const ranges = rangesAround(centres)
    return root === null ? ranges.map((range) => ({ root, ranges: [range] })) : [{ root, ranges }]
  })
}

/** The ranges of numbers around these numbers. Overlapping and adjacent ranges are one. */
function rangesAround(centres: readonly Centre[]): Range[] {
  const all = centres.map(({ number, isAlone }) =>
    isAlone ? { from: number, to: number } : { from: Math.max(1, number - BEFORE), to: number + AFTER },
  )
  const ranges: Range[] = []
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = ranges.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}

/** Whether a section shows a message. */
export const isWithin = ({ root, ranges }: Section, { id, seq, thread_root, thread_seq }: Place): boolean => {
  if (id === root) return true
  if (thread_root !== root && root !== null) return false
  const number = root === null ? seq : thread_seq
  return number !== null && ranges.some(({ from, to }) => from <= number && number <= to)
}

/** Bounds the address of a request. */
const CONDITIONS = 50
const ROWS = 500
const COLUMNS =
  'id,kind,author_id,seq,thread_root,thread_seq,body,extras,created_at,edited_at,attachments(name,type)'

/**
 * The messages of a channel that the sections show besides `own`, as far as the user can read them. `rowsOf` requests rows of the
 * data API.
 */
export async function readContext(
  channel: string,
  sections: readonly Section[],
  own: ReadonlySet<string>,
  rowsOf: (query: string) => Promise<ContextMessage[]>,
): Promise<ContextMessage[]> {
  const conditions = sections.flatMap(({ root, ranges }) => [
    ...(root === null || own.has(root) ? [] : [`id.eq.${root}`]),
    ...ranges.map(({ from, to }) =>
      root === null
        ? `and(seq.gte.${from},seq.lte.${to})`
        : `and(thread_root.eq.${root},thread_seq.gte.${from},thread_seq.lte.${to})`,
    ),
  ])
  const found = new Map<string, ContextMessage>()
  for (let at = 0; at < conditions.length; at += CONDITIONS) {
    const some = conditions.slice(at, at + CONDITIONS).join(',')
    let after = ''
    for (;;) {
      const page = await rowsOf(
        `messages?channel_id=eq.${channel}&kind=eq.text&deleted_at=is.null&or=(${some})${after}&select=${COLUMNS}&order=id&limit=${ROWS}`,
      )
      for (const message of page) if (!own.has(message.id)) found.set(message.id, message)
      // A server may return fewer rows than requested: an empty page is the last one.
      if (page.length === 0) break
      after = `&id=gt.${page.at(-1)!.id}`
    }
  }
  return [...found.values()]
}
