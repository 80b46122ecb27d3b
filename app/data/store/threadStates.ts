import type { UserEvent } from '../../../wire/events.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { readerOf } from './reader.ts'
import { mentionsReader } from './unreadCounts.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import type { State, StaleThread } from './state.ts'

/** Counts are capped here: shown as "99+". */
const MAX_COUNT = 100
/** Maximum length of a list from the server: it leaves out older unread threads. */
const MAX_LISTED = 100

/** Above this number, only states of unread, stale and loaded threads are retained. */
const MAX_THREAD_STATES = 400
/** Number that an eviction leaves. */
const THREAD_STATES_AFTER_EVICTION = 300

/**
 * Evicts the thread states that were received longest ago, if there are too many. An evicted state is fetched again when
 * an event reports a reply, or when the thread is displayed.
 */
function evictOldest(state: State, threads: Map<Uuid, ThreadState>, received: Uuid): Map<Uuid, ThreadState> {
  if (threads.size <= MAX_THREAD_STATES) return threads
  for (const [root, thread] of threads) {
    if (threads.size <= THREAD_STATES_AFTER_EVICTION) break
    const isNeeded =
      root === received ||
      (thread.follows && thread.counts.unread > 0) ||
      state.staleThreads.has(root) ||
      state.channels.get(thread.channel_id)?.threads.has(root) === true
    if (!isNeeded) threads.delete(root)
  }
  return threads
}

function putThreadState(state: State, thread: ThreadState, stale: StaleThread | null): State {
  const { root_id: root } = thread
  const others = new Map(state.threads)
  others.delete(root)
  const threads = evictOldest(state, others.set(root, thread), root)
  const previous = state.staleThreads.get(root) ?? null
  if (previous === stale) return { ...state, threads }
  const staleThreads = new Map(state.staleThreads)
  if (stale) staleThreads.set(root, stale)
  else staleThreads.delete(root)
  return { ...state, threads, staleThreads }
}

/** Records the highest number of a thread: if the state does not count it, the state is stale. */
function noteThreadLast(state: State, channelId: Uuid, root: Uuid, last: number): State {
  const counted = state.threads.get(root)?.last_thread_seq ?? 0
  const noted = state.staleThreads.get(root)?.last ?? 0
  if (last <= counted || last <= noted) return state
  return { ...state, staleThreads: new Map(state.staleThreads).set(root, { channelId, last }) }
}

/** Replaces the thread state, unless the known one is newer. */
export function mergeThreadState(state: State, received: ThreadState): State {
  const known = state.threads.get(received.root_id)
  const noted = state.staleThreads.get(received.root_id)?.last ?? 0
  const older = known !== undefined && received.read_version < known.read_version
  const stale = known?.read_version === received.read_version && received.rev < known.rev
  if (older || stale)
    return noteThreadLast(state, received.channel_id, received.root_id, received.last_thread_seq)
  // It does not count replies that were received since it was made: fetched again.
  const last = Math.max(noted, known?.last_thread_seq ?? 0)
  return putThreadState(
    state,
    received,
    last > received.last_thread_seq ? { channelId: received.channel_id, last } : null,
  )
}

/** The same for a response. If its version is lower than at the request, the server was restored from a backup. */
function mergeThreadResponse(state: State, received: ThreadState, snapshot: RequestSnapshot): State {
  if (received.read_version < (snapshot.threads.get(received.root_id) ?? 0))
    return putThreadState(state, received, null)
  return mergeThreadState(state, received)
}

/** Counts the next reply of a thread; after a gap, its state is stale. */
function countNextReply(
  state: State,
  known: ThreadState,
  reply: { number: number; rev: number; at: string | null; counts: boolean; mention: boolean; own: boolean },
): State {
  const { number, rev } = reply
  if (number <= known.last_thread_seq) return state
  if (number > known.last_thread_seq + 1)
    return noteThreadLast(state, known.channel_id, known.root_id, number)
  // A thread that the reader does not follow has no counts.
  const unread = known.follows && reply.counts && number > known.last_read_thread_seq
  const { counts } = known
  const counted: ThreadState = {
    ...known,
    last_thread_seq: number,
    last_reply_at: reply.at ?? known.last_reply_at,
    rev: Math.max(known.rev, rev),
    counts: unread
      ? {
          unread: Math.min(MAX_COUNT, counts.unread + 1),
          mentions: Math.min(MAX_COUNT, counts.mentions + (reply.mention ? 1 : 0)),
        }
      : counts,
  }
  const stale = state.staleThreads.get(known.root_id) ?? null
  // An own reply also moves the read marker and follows the thread. The event of that may be lost, and lists leave out
  // read threads.
  if (reply.own && (number > known.last_read_thread_seq || !known.follows)) {
    const last = Math.max(number, stale?.last ?? 0)
    return putThreadState(state, counted, { channelId: known.channel_id, last })
  }
  return putThreadState(state, counted, stale?.last === number ? null : stale)
}

/** Records the last reply that a root reports. */
export function noteRootLast(state: State, channelId: Uuid, root: Uuid, last: number): State {
  return state.threads.has(root) ? noteThreadLast(state, channelId, root, last) : state
}

/** Updates the thread of a message that was received: a reply counts, a root reports its last reply. */
export function countReply(state: State, message: Message): State {
  const me = state.me?.profile.id ?? null
  if (message.thread_root === null) {
    return noteRootLast(state, message.channel_id, message.id, message.last_thread_seq)
  }
  const known = state.threads.get(message.thread_root)
  if (!known || message.thread_seq === null) return state
  return countNextReply(state, known, {
    number: message.thread_seq,
    rev: message.rev,
    at: message.created_at,
    counts: message.author_id !== me && message.deleted_at === null && message.kind === 'text',
    mention: mentionsReader(message, readerOf(state)),
    own: message.author_id === me,
  })
}

/** Counts a reply that an event reports without its message. */
export function countReplyEvent(
  state: State,
  reply: Extract<UserEvent, { event: 'reply' }>['payload'],
): State {
  if (!state.channels.has(reply.channel_id)) return state
  const known = state.threads.get(reply.root_id)
  if (!known) return noteThreadLast(state, reply.channel_id, reply.root_id, reply.thread_seq)
  if (reply.rev <= known.rev) return state
  return countNextReply(state, known, {
    number: reply.thread_seq,
    rev: reply.rev,
    at: null,
    counts: true,
    mention: reply.mention,
    own: false,
  })
}

/**
 * Merges a list of the followed threads with unread replies. Threads that are not in it, were known at the request and
 * have not changed since, have been read. `revOf`: the rev of a channel when the list was made.
 */
export function mergeUnreadThreads(
  state: State,
  received: readonly ThreadState[],
  snapshot: RequestSnapshot,
  revOf: (channelId: Uuid) => number,
): State {
  const listed = new Set(received.map((thread) => thread.root_id))
  const oldest = received.length < MAX_LISTED ? null : (received.at(-1)?.last_reply_at ?? null)
  const isWithin = ({ last_reply_at: at }: ThreadState) =>
    oldest === null || (at !== null && Date.parse(at) > Date.parse(oldest))
  const next = received.reduce((merged, thread) => mergeThreadResponse(merged, thread, snapshot), state)
  const read = [...next.threads.values()].filter(
    (thread) =>
      thread.follows &&
      thread.counts.unread > 0 &&
      !listed.has(thread.root_id) &&
      snapshot.threads.get(thread.root_id) === thread.read_version &&
      thread.rev <= revOf(thread.channel_id) &&
      isWithin(thread),
  )
  if (read.length === 0) return next
  const threads = new Map(next.threads)
  const staleThreads = new Map(next.staleThreads)
  for (const thread of read) {
    const { root_id: root, channel_id: channelId, last_thread_seq: lastCounted } = thread
    threads.set(root, { ...thread, counts: { unread: 0, mentions: 0 } })
    // The list does not contain the new position of the read marker.
    staleThreads.set(root, { channelId, last: staleThreads.get(root)?.last ?? lastCounted })
  }
  return { ...next, threads, staleThreads }
}

/**
 * Marks states as stale that were known at the request and are not in the list. For a list that is fetched because events
 * may have been missed: these states may have changed (read or unfollowed on another device, a last reply deleted).
 */
export function markUnlistedStale(
  state: State,
  listed: ReadonlySet<Uuid>,
  snapshot: RequestSnapshot,
  isCurrent: (thread: ThreadState) => boolean,
): State {
  const staleThreads = new Map(state.staleThreads)
  for (const [root, thread] of state.threads) {
    if (listed.has(root) || !snapshot.threads.has(root) || staleThreads.has(root) || isCurrent(thread))
      continue
    staleThreads.set(root, { channelId: thread.channel_id, last: thread.last_thread_seq })
  }
  return staleThreads.size === state.staleThreads.size ? state : { ...state, staleThreads }
}

/**
 * Merges the response to `thread_states`. `requested`: root → the highest number received at the request. Threads that
 * the response leaves out are no longer readable.
 */
export function mergeThreadStates(
  state: State,
  received: readonly ThreadState[],
  requested: ReadonlyMap<Uuid, number>,
  snapshot: RequestSnapshot,
): State {
  const readable = new Set(received.map((thread) => thread.root_id))
  const next = filterThreads(
    received.reduce((merged, thread) => mergeThreadResponse(merged, thread, snapshot), state),
    (_channel, root) => !requested.has(root) || readable.has(root),
  )
  // A number that the response does not reach was wrong: a state that stayed stale would be requested for ever.
  const settled = [...next.staleThreads].filter(([root, stale]) => stale.last > (requested.get(root) ?? -1))
  return settled.length === next.staleThreads.size ? next : { ...next, staleThreads: new Map(settled) }
}

/** Evicts the states of threads that do not meet a condition. */
export function filterThreads(state: State, isRetained: (channelId: Uuid, root: Uuid) => boolean): State {
  const threads = [...state.threads].filter(([root, thread]) => isRetained(thread.channel_id, root))
  const stale = [...state.staleThreads].filter(([root, { channelId }]) => isRetained(channelId, root))
  if (threads.length === state.threads.size && stale.length === state.staleThreads.size) return state
  return { ...state, threads: new Map(threads), staleThreads: new Map(stale) }
}
