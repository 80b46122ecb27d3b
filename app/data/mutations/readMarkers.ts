import type { Uuid } from '../../../wire/scalars.ts'
import type { Outbox } from './outbox.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'
import type { OptimisticUpdates } from './optimisticUpdates.ts'

/** Minimum interval (ms) between two moves of a read marker. */
const MIN_INTERVAL_MS = 3_000
/** Milliseconds between seeing a message and storing the read marker. */
const GATHER_MS = 200

/** A conversation, or a thread in it. */
interface MarkerTarget {
  channel: Uuid
  root: Uuid | null
}

export interface ReadMarkers {
  /** The last seq that was read here and is not confirmed by the server; 0: none. */
  pendingReadSeq: (channelId: Uuid) => number
  /** Position of the read marker once a pending "mark unread" is executed; null: none is pending. */
  pendingUnreadSeq: (channelId: Uuid) => number | null
  /** Rises with each change that is not in the outbox yet. */
  version: () => number
  subscribe: (listener: () => void) => () => void
  /** The reader saw everything up to this seq. */
  markSeen: (channelId: Uuid, seq: number) => void
  /** The reader saw a thread's replies up to this `thread_seq`. */
  markThreadSeen: (channelId: Uuid, root: Uuid, threadSeq: number) => void
  markUnread: (channelId: Uuid, seq: number) => Promise<void>
  markThreadUnread: (channelId: Uuid, root: Uuid, threadSeq: number) => Promise<void>
  /** After `markUnread`, seen messages are ignored until the conversation (or thread) is opened again. */
  resumeReading: (id: Uuid) => void
  /** Sends pending markers at once: the page is hidden, or online again. Resolves when they are in the outbox. */
  flush: () => Promise<void>
  pendingWrites: () => number
  stop: () => void
}

export interface ReadMarkerPorts extends Pick<Ports, 'after'> {
  clock: () => number
  uuid: () => Uuid
  updates: () => OptimisticUpdates
}

/** Tracks what the reader has seen or marked unread, and stores it in the outbox, so that it survives the page. */
export function createReadMarkers(
  store: Store,
  outbox: Pick<Outbox, 'put' | 'sendReadMarkers'>,
  ports: ReadMarkerPorts,
): ReadMarkers {
  const seen = new Map<Uuid, MarkerTarget & { seq: number }>()
  const markedUnread = new Set<Uuid>()
  const listeners = new Set<() => void>()
  let timer: (() => void) | null = null
  let activeWrites = 0
  let nextDueAt = 0
  let version = 0
  const notify = () => {
    version += 1
    for (const listener of listeners) listener()
  }

  /** Position of the read marker after pending mutations. */
  function markerPosition({ channel, root }: MarkerTarget): number | null {
    const state = store.get()
    if (root !== null) {
      const thread = state.threads.get(root)
      return thread ? ports.updates().thread(thread).last_read_thread_seq : 0
    }
    const entry = state.channels.get(channel)?.entry
    if (!entry?.member) return null
    return ports.updates().readMarker(channel, entry.state.last_read_seq)
  }

  const versionOf = ({ channel, root }: MarkerTarget): number => {
    const state = store.get()
    const marker = root === null ? state.channels.get(channel)?.entry.state : state.threads.get(root)
    return marker?.read_version ?? 0
  }

  const serverPosition = (channelId: Uuid) =>
    store.get().channels.get(channelId)?.entry.state.last_read_seq ?? 0

  function recordSeen(target: MarkerTarget, upTo: number) {
    const id = target.root ?? target.channel
    const current = markerPosition(target)
    if (current === null || markedUnread.has(id) || upTo <= Math.max(current, seen.get(id)?.seq ?? 0)) return
    seen.set(id, { ...target, seq: upTo })
    notify()
    timer ??= ports.after(GATHER_MS, () => void storeSeen())
  }

  async function storeSeen() {
    timer?.()
    timer = null
    const now = ports.clock()
    // A clock that was set back must not delay read markers for long.
    nextDueAt = Math.min(Math.max(now, nextDueAt + MIN_INTERVAL_MS), now + MIN_INTERVAL_MS)
    activeWrites += 1
    try {
      for (const [id, target] of Array.from(seen)) {
        const { channel, root, seq } = target
        const from = markerPosition(target)
        const input = {
          id: ports.uuid(),
          channel,
          seq,
          from: from ?? 0,
          readVersion: versionOf(target),
          notBefore: nextDueAt,
        }
        if (from !== null) {
          // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
          await outbox.put(
            root === null ? { ...input, kind: 'read' } : { ...input, kind: 'readThread', root },
          )
        }
        if ((seen.get(id)?.seq ?? 0) <= seq) seen.delete(id)
      }
    } finally {
      activeWrites -= 1
      notify()
    }
  }

  async function putUnread(target: MarkerTarget, seq: number) {
    const id = target.root ?? target.channel
    markedUnread.add(id)
    seen.delete(id)
    notify()
    const input = { id: ports.uuid(), channel: target.channel, seq }
    await outbox.put(
      target.root === null
        ? { ...input, kind: 'unread' }
        : { ...input, kind: 'unreadThread', root: target.root },
    )
  }

  return {
    pendingReadSeq: (channelId) => {
      const server = serverPosition(channelId)
      const pending = Math.max(ports.updates().readMarker(channelId, server), seen.get(channelId)?.seq ?? 0)
      return pending > server ? pending : 0
    },
    pendingUnreadSeq: (channelId) => {
      const server = serverPosition(channelId)
      const pending = ports.updates().readMarker(channelId, server)
      return pending < server ? Math.max(pending, seen.get(channelId)?.seq ?? 0) : null
    },
    version: () => version,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    markSeen: (channel, seq) => {
      const last = store.get().channels.get(channel)?.entry.counters.last_seq ?? 0
      recordSeen({ channel, root: null }, Math.min(seq, last))
    },
    markThreadSeen: (channel, root, seq) => recordSeen({ channel, root }, seq),
    markUnread: (channel, seq) => putUnread({ channel, root: null }, seq),
    markThreadUnread: (channel, root, seq) => putUnread({ channel, root }, seq),
    resumeReading: (id) => {
      markedUnread.delete(id)
    },
    flush: async () => {
      outbox.sendReadMarkers()
      if (seen.size === 0) return
      await storeSeen()
      outbox.sendReadMarkers()
    },
    pendingWrites: () => activeWrites + (timer ? 1 : 0),
    stop: () => timer?.(),
  }
}
