import type { Commands, Message, ThreadReadAnswer } from '../../../../wire/linnet.ts'
import type { Failure, Outcome } from '../../failures.ts'
import type { Deed, SendDeed } from './deeds.ts'
import type { SyncEvent } from '../rows/events.ts'
import type { Ports } from '../ports.ts'
import type { Store } from '../rows/store.ts'

/** What a deed's answer changes, for the reducer of this page and those of the others. */
export type DeedAnswer = Extract<SyncEvent, { type: 'rowGiven' | 'readGiven' | 'threadStateGiven' }>

export type Asking =
  | { result: 'done'; answer: DeedAnswer | null }
  /** Nobody can say yet: the network, a pointer that another device moved meanwhile. */
  | { result: 'later'; answer: DeedAnswer | null }
  | { result: 'refused'; failure: Failure }

const MOOT: Asking = { result: 'done', answer: null }

/** Refusals after which nothing is left to be done or told. */
const NOTHING_LEFT = new Set(['not_found', 'message_deleted', 'not_a_thread'])

/** Asks the server for what a deed wants. Asked again, after a lost answer, it means the same. */
export async function askDeed(deed: Deed, store: Store, ports: Pick<Ports, 'call'>): Promise<Asking> {
  switch (deed.kind) {
    case 'send':
      return row(await ports.call('send_message', sendArgs(deed)))
    case 'edit':
      return row(await ports.call('edit_message', { id: deed.message, body: deed.body, edit: deed.id }))
    case 'delete':
      return moot(row(await ports.call('delete_message', { id: deed.message })))
    case 'react':
      return moot(row(await ports.call('react', { message: deed.message, emoji: deed.emoji, on: deed.on })))
    case 'read':
      return askRead(deed, store, ports)
    case 'unread': {
      const outcome = await ports.call('mark_unread', { channel: deed.channel, seq: deed.seq })
      if (!outcome.ok) return moot(refused(outcome.failure))
      return { result: 'done', answer: { type: 'readGiven', answer: outcome.value } }
    }
    case 'readThread':
      return askReadThread(deed, store, ports)
    case 'unreadThread':
      return thread(await ports.call('mark_thread_unread', { root: deed.root, thread_seq: deed.seq }))
    case 'followThread':
      return thread(await ports.call('follow_thread', { root: deed.root, on: deed.on }))
  }
}

function sendArgs(deed: SendDeed): Commands['send_message']['args'] {
  return {
    id: deed.id,
    channel: deed.channel,
    body: deed.body,
    thread_root: deed.threadRoot,
    also_to_channel: deed.alsoToChannel,
    attachments: deed.files.map(({ id, name, width, height, thumb }) => ({
      id,
      name,
      width,
      height,
      thumb: thumb !== null,
    })),
  }
}

function refused(failure: Failure): Asking {
  return failure.again ? { result: 'later', answer: null } : { result: 'refused', failure }
}

function moot(asking: Asking): Asking {
  return asking.result === 'refused' && NOTHING_LEFT.has(asking.failure.name) ? MOOT : asking
}

function row(outcome: Outcome<{ message: Message }>): Asking {
  if (!outcome.ok) return refused(outcome.failure)
  return { result: 'done', answer: { type: 'rowGiven', message: outcome.value.message } }
}

function thread(outcome: Outcome<ThreadReadAnswer>): Asking {
  if (!outcome.ok) return moot(refused(outcome.failure))
  return { result: 'done', answer: { type: 'threadStateGiven', thread: outcome.value.thread } }
}

/** Raises the pointer by the version last seen; yields to one that was lowered on purpose meanwhile. */
async function askRead(
  deed: Extract<Deed, { kind: 'read' }>,
  store: Store,
  ports: Pick<Ports, 'call'>,
): Promise<Asking> {
  const held = store.get().channels.get(deed.channel)?.entry.state
  if (!held) return store.get().source === 'live' ? MOOT : { result: 'later', answer: null }
  if (held.last_read_seq >= deed.seq || held.last_read_seq < deed.from) return MOOT
  const outcome = await ports.call('mark_read', {
    channel: deed.channel,
    seq: deed.seq,
    read_version: held.read_version,
  })
  if (!outcome.ok) return moot(refused(outcome.failure))
  const { applied, state } = outcome.value
  const answer: DeedAnswer = { type: 'readGiven', answer: outcome.value }
  const over = applied || state.last_read_seq < held.last_read_seq || state.last_read_seq >= deed.seq
  return { result: over ? 'done' : 'later', answer }
}

async function askReadThread(
  deed: Extract<Deed, { kind: 'readThread' }>,
  store: Store,
  ports: Pick<Ports, 'call'>,
): Promise<Asking> {
  const held = store.get().threads.get(deed.root)
  const pointer = held?.last_read_thread_seq ?? deed.from
  if (pointer >= deed.seq || pointer < deed.from) return MOOT
  const outcome = await ports.call('mark_thread_read', {
    root: deed.root,
    thread_seq: deed.seq,
    read_version: held?.read_version ?? 0,
  })
  if (!outcome.ok) return moot(refused(outcome.failure))
  const { applied, thread: place } = outcome.value
  const reached = place.last_read_thread_seq
  const over = applied || reached < pointer || reached >= deed.seq
  return { result: over ? 'done' : 'later', answer: { type: 'threadStateGiven', thread: place } }
}
