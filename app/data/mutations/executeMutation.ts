import type { Commands, Message, ThreadReadAnswer } from '../../../wire/linnet.ts'
import { done } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import type { Deed, PreferencesDeed, ReadDeed, ReadThreadDeed, SectionDeed, SendDeed } from './mutation.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'

/** What a deed's answer changes, for the reducer of this page and those of the others. */
export type DeedAnswer = Extract<
  SyncEvent,
  { type: 'rowGiven' | 'readGiven' | 'threadStateGiven' | 'preferencesGiven' | 'sectionGiven' }
>

/** What a request needs: commands, and the caller's own rows that are written directly under policies. */
export interface AskPorts extends Pick<Ports, 'call'> {
  saveOwn: (deed: PreferencesDeed | SectionDeed) => Promise<Outcome<DeedAnswer>>
}

export type Asking =
  | { result: 'done'; answer: DeedAnswer | null }
  /** Nobody can say yet: the network, a pointer that another device moved meanwhile. */
  | { result: 'later'; answer: DeedAnswer | null }
  | { result: 'refused'; failure: Failure }

const MOOT: Asking = { result: 'done', answer: null }

/** Refusals after which nothing is left to be done or told. */
const NOTHING_LEFT = new Set(['not_found', 'message_deleted', 'not_a_thread'])

/** Asks the server for what a deed wants. Asked again, after a lost answer, it means the same. */
export async function askDeed(deed: Deed, store: Store, ports: AskPorts): Promise<Asking> {
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
    case 'preferences':
    case 'section': {
      const outcome = await ports.saveOwn(deed)
      return outcome.ok ? { result: 'done', answer: outcome.value } : moot(refused(outcome.failure))
    }
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

/** Position of a read marker, and its version. */
interface Marker {
  last: number
  version: number
}

/**
 * The marker when it was queued, or as this page holds it where that is newer. This page may hold less: it sends for
 * other tabs, and may not have loaded the workspace that they show.
 */
function markerOf(deed: ReadDeed | ReadThreadDeed, held: Marker | undefined): Marker {
  const then = { last: deed.from, version: deed.readVersion ?? 0 }
  return held && held.version >= then.version ? held : then
}

/** So often a marker that others move is tried at once. */
const TRIES = 3

/** Raises the marker from its current position; leaves one that was lowered on purpose meanwhile. */
async function raise(
  deed: ReadDeed | ReadThreadDeed,
  start: Marker,
  ask: (version: number) => Promise<Outcome<{ applied: boolean; marker: Marker; answer: DeedAnswer }>>,
): Promise<Asking> {
  let marker = start
  let answer: DeedAnswer | null = null
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (marker.last >= deed.seq || marker.last < deed.from) return { result: 'done', answer }
    // oxlint-disable-next-line no-await-in-loop -- each by the version that the one before was answered
    const outcome = await ask(marker.version)
    // Refused for good: someone who can't read the channel has nothing unread there.
    if (!outcome.ok) return outcome.failure.again ? { result: 'later', answer } : { result: 'done', answer }
    answer = outcome.value.answer
    if (outcome.value.applied || outcome.value.marker.last < marker.last) return { result: 'done', answer }
    marker = outcome.value.marker
  }
  return { result: 'later', answer }
}

function askRead(deed: ReadDeed, store: Store, ports: Pick<Ports, 'call'>): Promise<Asking> {
  const held = store.get().channels.get(deed.channel)?.entry.state
  const marker = markerOf(deed, held && { last: held.last_read_seq, version: held.read_version })
  return raise(deed, marker, async (read_version) => {
    const outcome = await ports.call('mark_read', { channel: deed.channel, seq: deed.seq, read_version })
    if (!outcome.ok) return outcome
    const { applied, state } = outcome.value
    return done({
      applied,
      marker: { last: state.last_read_seq, version: state.read_version },
      answer: { type: 'readGiven', answer: outcome.value },
    })
  })
}

function askReadThread(deed: ReadThreadDeed, store: Store, ports: Pick<Ports, 'call'>): Promise<Asking> {
  const held = store.get().threads.get(deed.root)
  const marker = markerOf(deed, held && { last: held.last_read_thread_seq, version: held.read_version })
  return raise(deed, marker, async (read_version) => {
    const outcome = await ports.call('mark_thread_read', {
      root: deed.root,
      thread_seq: deed.seq,
      read_version,
    })
    if (!outcome.ok) return outcome
    const { applied, thread: place } = outcome.value
    return done({
      applied,
      marker: { last: place.last_read_thread_seq, version: place.read_version },
      answer: { type: 'threadStateGiven', thread: place },
    })
  })
}
