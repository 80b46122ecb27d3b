import type { Message, ThreadState, UserEvent, Uuid } from '../../../wire/linnet.ts'
import { mentionsReader } from './unreadCounts.ts'
import type { Known } from './requestSnapshot.ts'
import type { State, ThreadDoubt } from './state.ts'

/** Counting stops here: shown as "99+". */
const MOST = 100
/** So many threads are in a list at most: what is older than its last one may be unread and left out. */
const LISTED = 100

/** More places than this are held only of threads that are unread, in doubt, or open. */
const MAX_HELD = 400
/** So many are left when some are evicted: the next ones have room. */
const HELD_AFTER = 300

/**
 * Without the places in threads that were given longest ago, where there are too many. Nothing is lost by one that is
 * read and shown nowhere: news of it asks for it again.
 */
function evicted(state: State, threads: Map<Uuid, ThreadState>, given: Uuid): Map<Uuid, ThreadState> {
  if (threads.size <= MAX_HELD) return threads
  for (const [root, one] of threads) {
    if (threads.size <= HELD_AFTER) break
    const isNeeded =
      root === given ||
      (one.follows && one.counts.unread > 0) ||
      state.threadDoubts.has(root) ||
      state.channels.get(one.channel_id)?.threads.has(root) === true
    if (!isNeeded) threads.delete(root)
  }
  return threads
}

function put(state: State, thread: ThreadState, doubt: ThreadDoubt | null): State {
  const { root_id: root } = thread
  const others = new Map(state.threads)
  others.delete(root)
  const threads = evicted(state, others.set(root, thread), root)
  const held = state.threadDoubts.get(thread.root_id) ?? null
  if (held === doubt) return { ...state, threads }
  const threadDoubts = new Map(state.threadDoubts)
  if (doubt) threadDoubts.set(thread.root_id, doubt)
  else threadDoubts.delete(thread.root_id)
  return { ...state, threads, threadDoubts }
}

/** Takes note of a thread's highest number: where the counts held don't know it, they are in doubt. */
function heardThread(state: State, channelId: Uuid, root: Uuid, last: number): State {
  const counted = state.threads.get(root)?.last_thread_seq ?? 0
  const told = state.threadDoubts.get(root)?.last ?? 0
  if (last <= counted || last <= told) return state
  return { ...state, threadDoubts: new Map(state.threadDoubts).set(root, { channelId, last }) }
}

/** Lays one's own place in a thread over the known one; one that was overtaken brings nothing back. */
export function withThread(state: State, given: ThreadState): State {
  const known = state.threads.get(given.root_id)
  const told = state.threadDoubts.get(given.root_id)?.last ?? 0
  const older = known !== undefined && given.read_version < known.read_version
  const stale = known?.read_version === given.read_version && given.rev < known.rev
  if (older || stale) return heardThread(state, given.channel_id, given.root_id, given.last_thread_seq)
  // A pointer that moved while replies came: what was counted on since then has to be asked for.
  const last = Math.max(told, known?.last_thread_seq ?? 0)
  return put(state, given, last > given.last_thread_seq ? { channelId: given.channel_id, last } : null)
}

/** The same for an answer: fewer moves than when it was asked, and the home was restored from a copy. */
function withThreadGiven(state: State, given: ThreadState, known: Known): State {
  if (given.read_version < (known.threads.get(given.root_id) ?? 0)) return put(state, given, null)
  return withThread(state, given)
}

/** One reply more: counted on where it is the next one, else its number is kept to be asked for. */
function countOn(
  state: State,
  known: ThreadState,
  reply: { number: number; rev: number; at: string | null; counts: boolean; mention: boolean; own: boolean },
): State {
  const { number, rev } = reply
  if (number <= known.last_thread_seq) return state
  if (number > known.last_thread_seq + 1) return heardThread(state, known.channel_id, known.root_id, number)
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
          unread: Math.min(MOST, counts.unread + 1),
          mentions: Math.min(MOST, counts.mentions + (reply.mention ? 1 : 0)),
        }
      : counts,
  }
  const doubt = state.threadDoubts.get(known.root_id) ?? null
  // Answering moves one's pointer and follows: the event that tells so may be lost, and no list has what is read.
  if (reply.own && (number > known.last_read_thread_seq || !known.follows)) {
    const last = Math.max(number, doubt?.last ?? 0)
    return put(state, counted, { channelId: known.channel_id, last })
  }
  return put(state, counted, doubt?.last === number ? null : doubt)
}

/** After news of a root: how far its thread goes. */
export function heardRoot(state: State, channelId: Uuid, root: Uuid, last: number): State {
  return state.threads.has(root) ? heardThread(state, channelId, root, last) : state
}

/** After news of a message: a reply counts in its thread, a root tells how far its thread goes. */
export function countReply(state: State, message: Message): State {
  const me = state.me?.profile.id ?? null
  if (message.thread_root === null) {
    return heardRoot(state, message.channel_id, message.id, message.last_thread_seq)
  }
  const known = state.threads.get(message.thread_root)
  if (!known || message.thread_seq === null) return state
  return countOn(state, known, {
    number: message.thread_seq,
    rev: message.rev,
    at: message.created_at,
    counts: message.author_id !== me && message.deleted_at === null && message.kind === 'text',
    mention: mentionsReader(message, me),
    own: message.author_id === me,
  })
}

/** After a poke of a followed thread, which tells of a reply without its words. */
export function countReplyTold(state: State, told: Extract<UserEvent, { event: 'reply' }>['payload']): State {
  if (!state.channels.has(told.channel_id)) return state
  const known = state.threads.get(told.root_id)
  if (!known) return heardThread(state, told.channel_id, told.root_id, told.thread_seq)
  if (told.rev <= known.rev) return state
  return countOn(state, known, {
    number: told.thread_seq,
    rev: told.rev,
    at: null,
    counts: true,
    mention: told.mention,
    own: false,
  })
}

/**
 * Lays the list of what one follows and has not read over the known places. Whatever else was held then,
 * and hasn't moved since, has been read. `revOf` says where a channel stood when the list was made.
 */
export function withUnreadThreads(
  state: State,
  given: readonly ThreadState[],
  known: Known,
  revOf: (channelId: Uuid) => number,
): State {
  const listed = new Set(given.map((one) => one.root_id))
  const oldest = given.length < LISTED ? null : (given.at(-1)?.last_reply_at ?? null)
  const within = (one: ThreadState) =>
    oldest === null || (one.last_reply_at !== null && Date.parse(one.last_reply_at) > Date.parse(oldest))
  const next = given.reduce((one, thread) => withThreadGiven(one, thread, known), state)
  const read = [...next.threads.values()].filter(
    (one) =>
      one.follows &&
      one.counts.unread > 0 &&
      !listed.has(one.root_id) &&
      known.threads.get(one.root_id) === one.read_version &&
      one.rev <= revOf(one.channel_id) &&
      within(one),
  )
  if (read.length === 0) return next
  const threads = new Map(next.threads)
  const threadDoubts = new Map(next.threadDoubts)
  for (const one of read) {
    threads.set(one.root_id, { ...one, counts: { unread: 0, mentions: 0 } })
    // Where the pointer stands now is not in the list.
    const last = threadDoubts.get(one.root_id)?.last ?? one.last_thread_seq
    threadDoubts.set(one.root_id, { channelId: one.channel_id, last })
  }
  return { ...next, threads, threadDoubts }
}

/**
 * After a list that comes when anything may have been missed: places held then and not in it may have moved unheard
 * (read or left elsewhere, a last reply deleted), and are asked for.
 */
export function doubtUnlisted(state: State, listed: ReadonlySet<Uuid>, known: Known): State {
  const threadDoubts = new Map(state.threadDoubts)
  for (const [root, one] of state.threads) {
    if (listed.has(root) || !known.threads.has(root) || threadDoubts.has(root)) continue
    threadDoubts.set(root, { channelId: one.channel_id, last: one.last_thread_seq })
  }
  return threadDoubts.size === state.threadDoubts.size ? state : { ...state, threadDoubts }
}

/**
 * Lays the answer to `asked` (root → the highest number heard of then) over the known places: those not in it
 * are not for us any more.
 */
export function withThreadsAsked(
  state: State,
  given: readonly ThreadState[],
  asked: ReadonlyMap<Uuid, number>,
  known: Known,
): State {
  const there = new Set(given.map((one) => one.root_id))
  const next = keepThreads(
    given.reduce((one, thread) => withThreadGiven(one, thread, known), state),
    (_channel, root) => !asked.has(root) || there.has(root),
  )
  // A number that even a fresh answer doesn't know is none: asked again, it would be asked for ever.
  const settled = [...next.threadDoubts].filter(([root, one]) => one.last > (asked.get(root) ?? -1))
  return settled.length === next.threadDoubts.size ? next : { ...next, threadDoubts: new Map(settled) }
}

/** Lets go of the threads that a condition leaves out. */
export function keepThreads(state: State, keep: (channelId: Uuid, root: Uuid) => boolean): State {
  const threads = [...state.threads].filter(([root, one]) => keep(one.channel_id, root))
  const doubts = [...state.threadDoubts].filter(([root, one]) => keep(one.channelId, root))
  if (threads.length === state.threads.size && doubts.length === state.threadDoubts.size) return state
  return { ...state, threads: new Map(threads), threadDoubts: new Map(doubts) }
}
