import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { pendingMessage } from './pendingMessage.ts'
import type { PendingMessage } from './pendingMessage.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import type { Range } from '../store/ranges.ts'
import type { ChannelRows } from '../store/state.ts'

/** A message keeps its id when it is accepted, so the id is the key of its row. */
export type TimelineItem =
  | { kind: 'message'; id: Uuid; message: Message }
  | { kind: 'pending'; id: Uuid; message: PendingMessage }

const itemsOfMessages = new WeakMap<Message, TimelineItem>()

function messageItem(message: Message): TimelineItem {
  const known = itemsOfMessages.get(message)
  if (known) return known
  const item: TimelineItem = { kind: 'message', id: message.id, message }
  itemsOfMessages.set(message, item)
  return item
}

/** The user's messages whose rows are not loaded yet: accepted ones first, then those being sent. */
export function pendingItems(
  before: readonly TimelineItem[] | undefined,
  waiting: readonly OutboxItem[],
  unplacedMessages: readonly Message[],
  isLoaded: (id: Uuid) => boolean,
): TimelineItem[] {
  const sent = unplacedMessages.filter((message) => !isLoaded(message.id)).map(messageItem)
  const pending = waiting
    .filter((item) => !isLoaded(item.id) && !unplacedMessages.some((message) => message.id === item.id))
    .map((item): TimelineItem => {
      const known = before?.find((one) => one.id === item.id && one.kind === 'pending')
      const message = pendingMessage(item)
      if (known?.kind === 'pending' && known.message === message) return known
      return { kind: 'pending', id: item.id, message }
    })
  return [...sent, ...pending]
}

/** The messages of a range with their pending changes. `index`: ids by number. */
export function itemsInRange(
  rows: ChannelRows,
  window: Range,
  index: ReadonlyMap<number, Uuid>,
): TimelineItem[] {
  const items: TimelineItem[] = []
  for (let number = window.from; number <= window.to; number += 1) {
    const message = rows.messages.get(index.get(number) ?? '')
    if (message) items.push(messageItem(withOptimisticUpdates(message)))
  }
  return items
}

/** Whether a list displays messages, a loading state or a failure. */
export function statusOf(
  shows: boolean,
  view: { loading: boolean; failure: Failure | null },
): 'loading' | 'ready' | 'failed' {
  if (shows) return 'ready'
  return view.failure && !view.loading ? 'failed' : 'loading'
}
