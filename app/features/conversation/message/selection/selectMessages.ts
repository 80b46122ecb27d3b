import type { Message } from '../../../../../wire/messages.ts'
import type { Row } from '../timelineRows.ts'
import type { MessageSelection } from './SelectionContext.ts'

type Scope = 'channel' | 'thread'

/** Messages that can be selected at once. */
export const MAX_SELECTED = 100

const NONE: ReadonlySet<string> = new Set()

/** Whether a message has content to select. */
export function isSelectable(message: Message): boolean {
  return message.kind === 'text' && message.deleted_at === null
}

/** The position in the list; the first message of a thread is before its replies. */
function positionOf(message: Message, scope: Scope): number {
  return (scope === 'channel' ? message.seq : message.thread_seq) ?? 0
}

/** Selects or deselects one message, from which the next range begins. Null if none is selected any more. */
export function toggleMessage(selection: MessageSelection | null, message: Message): MessageSelection | null {
  const messages = new Map(selection?.messages)
  if (messages.delete(message.id)) {
    return messages.size === 0 ? null : { messages, anchor: message, range: NONE }
  }
  if (messages.size >= MAX_SELECTED) return selection
  messages.set(message.id, message)
  return { messages, anchor: message, range: NONE }
}

/**
 * Selects the loaded messages from the anchor to `end`, in place of the previous range; those nearest to the anchor if
 * there are too many. Without a selection, it begins at `start`.
 */
export function extendRange(
  selection: MessageSelection | null,
  start: Message,
  end: Message,
  rows: readonly Row[],
  scope: Scope,
): MessageSelection {
  const anchor = selection?.anchor ?? start
  const messages = new Map(selection?.messages)
  for (const id of selection?.range ?? NONE) messages.delete(id)
  const [from, to] = [positionOf(anchor, scope), positionOf(end, scope)]
  const between = rows
    .flatMap(({ item }) => (item.kind === 'message' ? [item.message] : []))
    .filter((message) => {
      const position = positionOf(message, scope)
      return Math.min(from, to) <= position && position <= Math.max(from, to)
    })
  const added = [anchor, ...(from <= to ? between : between.toReversed()), end].filter(
    (message) => isSelectable(message) && !messages.has(message.id),
  )
  const range = new Map(added.map((message) => [message.id, message]))
  const fitting = [...range].slice(0, MAX_SELECTED - messages.size)
  return { messages: new Map([...messages, ...fitting]), anchor, range: new Set(fitting.map(([id]) => id)) }
}

/**
 * The selection without messages that are deleted, or whose deletion is pending; the same one if there are none.
 * `loaded`: messages as they are now, of which others may not be loaded. Null if nothing is selected any more.
 */
export function withoutDeleted(
  selection: MessageSelection,
  loaded: ReadonlyMap<string, Message>,
  deletions: ReadonlySet<string>,
): MessageSelection | null {
  const messages = new Map(
    [...selection.messages].filter(
      ([id, message]) => !deletions.has(id) && isSelectable(loaded.get(id) ?? message),
    ),
  )
  if (messages.size === selection.messages.size) return selection
  return messages.size === 0 ? null : { ...selection, messages }
}

/** The selected messages in the order of their list. */
export function inListOrder(selection: MessageSelection, scope: Scope): Message[] {
  return [...selection.messages.values()].sort((a, b) => positionOf(a, scope) - positionOf(b, scope))
}
