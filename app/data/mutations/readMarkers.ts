import type { Uuid } from '../../../wire/linnet.ts'
import type { Outbox } from './outbox.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'
import type { Wishes } from './optimisticOverlay.ts'

/** A client moves a pointer at most so often. */
const PAUSE = 3_000
/** What is seen while scrolling is gathered so long before it is kept. */
const GATHER = 200

/** A conversation, or a thread in it. */
interface Place {
  channel: Uuid
  root: Uuid | null
}

export interface Pointers {
  /** What was seen here and the server does not know yet; 0: nothing. */
  seenOf: (channelId: Uuid) => number
  /** Where the pointer will stand once what was marked unread here is; null: nothing was. */
  loweredTo: (channelId: Uuid) => number | null
  /** Rises with each change of these that is not in the outbox yet. */
  version: () => number
  subscribe: (listener: () => void) => () => void
  /** The reader saw everything up to this seq. */
  see: (channelId: Uuid, seq: number) => void
  /** The reader saw a thread's replies up to this `thread_seq`. */
  seeThread: (channelId: Uuid, root: Uuid, threadSeq: number) => void
  markUnread: (channelId: Uuid, seq: number) => Promise<void>
  markThreadUnread: (channelId: Uuid, root: Uuid, threadSeq: number) => Promise<void>
  /** After `markUnread`, what is seen doesn't count until the conversation (or thread) is opened anew. */
  opened: (id: Uuid) => void
  /** Asks at once what waits: the page hides, or is back online. */
  flush: () => void
  busy: () => number
  stop: () => void
}

export interface PointerPorts extends Pick<Ports, 'after'> {
  clock: () => number
  uuid: () => Uuid
  wishes: () => Wishes
}

/** Says how far one has read, and what is unread again: through the outbox, so that it outlives the page. */
export function createPointers(
  store: Store,
  outbox: Pick<Outbox, 'put' | 'hurry'>,
  ports: PointerPorts,
): Pointers {
  const seen = new Map<Uuid, Place & { seq: number }>()
  const keptUnread = new Set<Uuid>()
  const listeners = new Set<() => void>()
  let timer: (() => void) | null = null
  let putting = 0
  let due = 0
  let version = 0
  const tell = () => {
    version += 1
    for (const listener of listeners) listener()
  }

  /** Where the pointer will stand, with what is not on the shelf yet. */
  function standOf({ channel, root }: Place): number | null {
    const state = store.get()
    if (root !== null) {
      const thread = state.threads.get(root)
      return thread ? ports.wishes().thread(thread).last_read_thread_seq : 0
    }
    const entry = state.channels.get(channel)?.entry
    if (!entry?.member) return null
    return ports.wishes().pointer(channel, entry.state.last_read_seq) ?? entry.state.last_read_seq
  }

  const versionOf = ({ channel, root }: Place): number => {
    const state = store.get()
    const marker = root === null ? state.channels.get(channel)?.entry.state : state.threads.get(root)
    return marker?.read_version ?? 0
  }

  const standing = (channelId: Uuid) => store.get().channels.get(channelId)?.entry.state.last_read_seq ?? 0

  function note(place: Place, upTo: number) {
    const id = place.root ?? place.channel
    const stand = standOf(place)
    if (stand === null || keptUnread.has(id) || upTo <= Math.max(stand, seen.get(id)?.seq ?? 0)) return
    seen.set(id, { ...place, seq: upTo })
    tell()
    timer ??= ports.after(GATHER, () => void keep())
  }

  async function keep() {
    timer?.()
    timer = null
    const now = ports.clock()
    // A clock that was set back must not hold pointers for long.
    due = Math.min(Math.max(now, due + PAUSE), now + PAUSE)
    putting += 1
    for (const [id, place] of Array.from(seen)) {
      const { channel, root, seq } = place
      const from = standOf(place)
      const asked = {
        id: ports.uuid(),
        channel,
        seq,
        from: from ?? 0,
        readVersion: versionOf(place),
        notBefore: due,
      }
      if (from !== null) {
        // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
        await outbox.put(root === null ? { ...asked, kind: 'read' } : { ...asked, kind: 'readThread', root })
      }
      if ((seen.get(id)?.seq ?? 0) <= seq) seen.delete(id)
    }
    putting -= 1
    tell()
  }

  async function unread(place: Place, seq: number) {
    const id = place.root ?? place.channel
    keptUnread.add(id)
    seen.delete(id)
    tell()
    const asked = { id: ports.uuid(), channel: place.channel, seq }
    await outbox.put(
      place.root === null
        ? { ...asked, kind: 'unread' }
        : { ...asked, kind: 'unreadThread', root: place.root },
    )
  }

  return {
    seenOf: (channelId) => {
      const stands = standing(channelId)
      const wished = Math.max(ports.wishes().pointer(channelId, stands) ?? 0, seen.get(channelId)?.seq ?? 0)
      return wished > stands ? wished : 0
    },
    loweredTo: (channelId) => {
      const stands = standing(channelId)
      const wished = ports.wishes().pointer(channelId, stands)
      return wished !== null && wished < stands ? Math.max(wished, seen.get(channelId)?.seq ?? 0) : null
    },
    version: () => version,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    see: (channel, seq) => {
      const last = store.get().channels.get(channel)?.entry.counters.last_seq ?? 0
      note({ channel, root: null }, Math.min(seq, last))
    },
    seeThread: (channel, root, seq) => note({ channel, root }, seq),
    markUnread: (channel, seq) => unread({ channel, root: null }, seq),
    markThreadUnread: (channel, root, seq) => unread({ channel, root }, seq),
    opened: (id) => {
      keptUnread.delete(id)
    },
    flush: () => {
      outbox.hurry()
      if (seen.size > 0) void keep().then(outbox.hurry)
    },
    busy: () => putting + (timer ? 1 : 0),
    stop: () => timer?.(),
  }
}
