import type { Message, ThreadState, UserEvent } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { mentionsReader } from './unreadCounts.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import type { State, StaleThread } from './state.ts'

/** Counts are capped here: shown as "99+". */
const MAX_COUNT = 100
/** So many threads are in a list at most: what is older than its last one may be unread and left out. */
const MAX_LISTED = 100

/** More places than this are loaded only of threads that are unread, stale, or open. */
const MAX_THREAD_STATES = 400
/** So many are left when some are evicted: the next ones have room. */
const THREAD_STATES_AFTER_EVICTION = 300

/**
 * Without the thread states that were given longest ago, where there are too many. Nothing is lost by one that is
 * read and shown nowhere: news of it requests it again.
 */
function evictOldest(state: State, threads: Map<Uuid, ThreadState>, received: Uuid): Map<Uuid, ThreadState> {
  if (threads.size <= MAX_THREAD_STATES) return threads
  for (const [root, one] of threads) {
    if (threads.size <= THREAD_STATES_AFTER_EVICTION) break
    const isNeeded =
      root === received ||
      (one.follows && one.counts.unread > 0) ||
      state.staleThreads.has(root) ||
      state.channels.get(one.channel_id)?.threads.has(root) === true
    if (!isNeeded) threads.delete(root)
  }
  return threads
}

function putThreadState(state: State, thread: ThreadState, stale: StaleThread | null): State {
  const { root_id: root } = thread
  const others = new Map(state.threads)
  others.delete(root)
  const threads = evictOldest(state, others.set(root, thread), root)
  const previous = state.staleThreads.get(thread.root_id) ?? null
  if (previous === stale) return { ...state, threads }
  const threadDoubts = new Map(state.staleThreads)
  if (stale) threadDoubts.set(thread.root_id, stale)
  else threadDoubts.delete(thread.root_id)
  return { ...state, threads, staleThreads: threadDoubts }
}

/** Takes note of a thread's highest number: where the counts held don't know it, they are stale. */
function noteThreadLast(state: State, channelId: Uuid, root: Uuid, last: number): State {
  const counted = state.threads.get(root)?.last_thread_seq ?? 0
  const noted = state.staleThreads.get(root)?.last ?? 0
  if (last <= counted || last <= noted) return state
  return { ...state, staleThreads: new Map(state.staleThreads).set(root, { channelId, last }) }
}

/** Lays the reader's thread state over the known one; one that was overtaken brings nothing back. */
export function mergeThreadState(state: State, received: ThreadState): State {
  const known = state.threads.get(received.root_id)
  const noted = state.staleThreads.get(received.root_id)?.last ?? 0
  const older = known !== undefined && received.read_version < known.read_version
  const stale = known?.read_version === received.read_version && received.rev < known.rev
  if (older || stale)
    return noteThreadLast(state, received.channel_id, received.root_id, received.last_thread_seq)
  // A read marker that moved while replies came: what was counted on since then has to be fetched.
  const last = Math.max(noted, known?.last_thread_seq ?? 0)
  return putThreadState(
    state,
    received,
    last > received.last_thread_seq ? { channelId: received.channel_id, last } : null,
  )
}

/** The same for an answer: fewer moves than when the request was sent, and the server was restored from a backup. */
function mergeThreadResponse(state: State, received: ThreadState, snapshot: RequestSnapshot): State {
  if (received.read_version < (snapshot.threads.get(received.root_id) ?? 0))
    return putThreadState(state, received, null)
  return mergeThreadState(state, received)
}

/** One reply more: counted on where it is the next one, else its number is kept to be fetched. */
function countNextReply(
  state: State,
  known: ThreadState,
  reply: { number: number; rev: number; at: string | null; counts: boolean; mention: boolean; own: boolean },
): State {
  const { number, rev } = reply
  if (number <= known.last_thread_seq) return state
  if (number > known.last_thread_seq + 1)
    return noteThreadLast(state, known.channel_id, known.root_id, number)
  // What one doesn't follow has no counts.
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
  // A reply moves the author's read marker and follows the thread: its event may be lost, and no list contains read threads.
  if (reply.own && (number > known.last_read_thread_seq || !known.follows)) {
    const last = Math.max(number, stale?.last ?? 0)
    return putThreadState(state, counted, { channelId: known.channel_id, last })
  }
  return putThreadState(state, counted, stale?.last === number ? null : stale)
}

/** After news of a root: how far its thread goes. */
export function noteRootLast(state: State, channelId: Uuid, root: Uuid, last: number): State {
  return state.threads.has(root) ? noteThreadLast(state, channelId, root, last) : state
}

/** After news of a message: a reply counts in its thread, a root has the last number of its thread. */
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
    mention: mentionsReader(message, me),
    own: message.author_id === me,
  })
}

/** After a poke of a followed thread, which reports a reply without its message. */
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
 * Merges the list of followed and unread threads into the known states. Every other thread that was known at the request
 * and hasn't changed since has been read. `revOf`: the rev of a channel when the list was made.
 */
export function mergeUnreadThreads(
  state: State,
  received: readonly ThreadState[],
  snapshot: RequestSnapshot,
  revOf: (channelId: Uuid) => number,
): State {
  const listed = new Set(received.map((one) => one.root_id))
  const oldest = received.length < MAX_LISTED ? null : (received.at(-1)?.last_reply_at ?? null)
  const within = (one: ThreadState) =>
    oldest === null || (one.last_reply_at !== null && Date.parse(one.last_reply_at) > Date.parse(oldest))
  const next = received.reduce((one, thread) => mergeThreadResponse(one, thread, snapshot), state)
  const read = [...next.threads.values()].filter(
    (one) =>
      one.follows &&
      one.counts.unread > 0 &&
      !listed.has(one.root_id) &&
      snapshot.threads.get(one.root_id) === one.read_version &&
      one.rev <= revOf(one.channel_id) &&
      within(one),
  )
  if (read.length === 0) return next
  const threads = new Map(next.threads)
  const threadDoubts = new Map(next.staleThreads)
  for (const one of read) {
    threads.set(one.root_id, { ...one, counts: { unread: 0, mentions: 0 } })
    // Where the read marker stands now is not in the list.
    const last = threadDoubts.get(one.root_id)?.last ?? one.last_thread_seq
    threadDoubts.set(one.root_id, { channelId: one.channel_id, last })
  }
  return { ...next, threads, staleThreads: threadDoubts }
}

/**
 * After a list that is fetched when any event may have been missed: states known at the request and not in it may have
 * changed without an event (read or left elsewhere, a last reply deleted), and are fetched.
 */
export function markUnlistedStale(state: State, listed: ReadonlySet<Uuid>, snapshot: RequestSnapshot): State {
  const threadDoubts = new Map(state.staleThreads)
  for (const [root, one] of state.threads) {
    if (listed.has(root) || !snapshot.threads.has(root) || threadDoubts.has(root)) continue
    threadDoubts.set(root, { channelId: one.channel_id, last: one.last_thread_seq })
  }
  return threadDoubts.size === state.staleThreads.size ? state : { ...state, staleThreads: threadDoubts }
}

/**
 * Lays the answer to `asked` (root → the highest number received then) over the known places: those not in it
 * are not for us any more.
 */
export function mergeThreadStates(
  state: State,
  received: readonly ThreadState[],
  requested: ReadonlyMap<Uuid, number>,
  snapshot: RequestSnapshot,
): State {
  const there = new Set(received.map((one) => one.root_id))
  const next = filterThreads(
    received.reduce((one, thread) => mergeThreadResponse(one, thread, snapshot), state),
    (_channel, root) => !requested.has(root) || there.has(root),
  )
  // A number that even a fresh answer doesn't know is none: asked again, it would be requested for ever.
  const settled = [...next.staleThreads].filter(([root, one]) => one.last > (requested.get(root) ?? -1))
  return settled.length === next.staleThreads.size ? next : { ...next, staleThreads: new Map(settled) }
}

/** Evicts the threads that a condition leaves out. */
export function filterThreads(state: State, isKept: (channelId: Uuid, root: Uuid) => boolean): State {
  const threads = [...state.threads].filter(([root, one]) => isKept(one.channel_id, root))
  const staleLeft = [...state.staleThreads].filter(([root, one]) => isKept(one.channelId, root))
  if (threads.length === state.threads.size && staleLeft.length === state.staleThreads.size) return state
  return { ...state, threads: new Map(threads), staleThreads: new Map(staleLeft) }
}
