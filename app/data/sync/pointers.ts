import type { ReadAnswer, Uuid } from '../../../wire/linnet.ts'
import type { Outcome } from '../failures.ts'
import type { Ports } from './ports.ts'
import type { Store } from './store.ts'

/** A client moves a pointer at most so often. */
const PAUSE = 3_000

export interface Pointers {
  /** What was seen here and the server does not know yet; 0: nothing. */
  seenOf: (channelId: Uuid) => number
  /** Rises with each change of `seenOf`. */
  version: () => number
  subscribe: (listener: () => void) => () => void
  /** The reader saw everything up to this seq. */
  see: (channelId: Uuid, seq: number) => void
  markUnread: (channelId: Uuid, seq: number) => Promise<Outcome<ReadAnswer>>
  /** After `markUnread`, what is seen doesn't count until the conversation is opened anew. */
  opened: (channelId: Uuid) => void
  /** Asks at once what waits: the page hides, or is back online. */
  flush: () => void
  busy: () => number
  stop: () => void
}

/** Moves one's read pointers: raised by compare-and-set, lowered only by `markUnread`. */
export function createPointers(store: Store, ports: Pick<Ports, 'call' | 'after' | 'now'>): Pointers {
  const seen = new Map<Uuid, number>()
  const keptUnread = new Set<Uuid>()
  const running = new Set<Uuid>()
  const listeners = new Set<() => void>()
  let timer: (() => void) | null = null
  let lastAsked = -PAUSE
  let stopped = false
  let version = 0
  const tell = () => {
    version += 1
    for (const listener of listeners) listener()
  }

  function schedule() {
    if (timer || stopped || seen.size === 0) return
    timer = ports.after(Math.max(0, lastAsked + PAUSE - ports.now()), () => {
      timer = null
      flush()
    })
  }

  function flush() {
    timer?.()
    timer = null
    lastAsked = ports.now()
    for (const [channelId, seq] of seen) if (!running.has(channelId)) void ask(channelId, seq)
  }

  async function ask(channelId: Uuid, seq: number) {
    const before = store.get().channels.get(channelId)?.entry.state
    if (!before || before.last_read_seq >= seq) {
      settle(channelId, seq)
      return
    }
    running.add(channelId)
    const outcome = await ports.call('mark_read', {
      channel: channelId,
      seq,
      read_version: before.read_version,
    })
    running.delete(channelId)
    if (stopped) return
    if (!outcome.ok) {
      if (!outcome.failure.again) settle(channelId, seq)
      schedule()
      return
    }
    const { applied, state } = outcome.value
    store.dispatch({ type: 'readGiven', answer: outcome.value, known: before.read_version })
    // Another device lowered it on purpose: its "mark unread" stands against what was seen here.
    if (applied || state.last_read_seq < before.last_read_seq) settle(channelId, seq)
    schedule()
  }

  function settle(channelId: Uuid, seq: number) {
    if ((seen.get(channelId) ?? 0) <= seq) seen.delete(channelId)
    tell()
  }

  return {
    seenOf: (channelId) => seen.get(channelId) ?? 0,
    version: () => version,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    see: (channelId, seq) => {
      const entry = store.get().channels.get(channelId)?.entry
      if (!entry?.member || keptUnread.has(channelId)) return
      const known = Math.max(entry.state.last_read_seq, seen.get(channelId) ?? 0)
      const upTo = Math.min(seq, entry.counters.last_seq)
      if (upTo <= known) return
      seen.set(channelId, upTo)
      tell()
      schedule()
    },
    markUnread: async (channelId, seq) => {
      keptUnread.add(channelId)
      seen.delete(channelId)
      tell()
      const known = store.get().channels.get(channelId)?.entry.state.read_version ?? 0
      const outcome = await ports.call('mark_unread', { channel: channelId, seq })
      if (outcome.ok) store.dispatch({ type: 'readGiven', answer: outcome.value, known })
      else keptUnread.delete(channelId)
      return outcome
    },
    opened: (channelId) => {
      keptUnread.delete(channelId)
    },
    flush,
    busy: () => running.size + (timer ? 1 : 0),
    stop: () => {
      stopped = true
      timer?.()
    },
  }
}
