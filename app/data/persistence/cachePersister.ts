import type { Uuid } from '../../../wire/scalars.ts'
import { toCachedWorkspace, toCachedMessages } from './cachedRows.ts'
import type { CachedMessages } from './cachedRows.ts'
import type { Ports } from '../sync/ports.ts'
import type { ChannelRows, State } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import type { DeviceStorage } from './deviceStorage.ts'

/** Maximum number of channels whose newest messages are stored. */
const MAX_CHANNELS = 30
/** Maximum size of all stored messages, in characters of JSON. */
const MAX_SIZE = 4_000_000
/** Milliseconds between a change and the write. */
const WRITE_DELAY_MS = 1_500

export interface CachePersister {
  /** Writes pending changes at once: the page is hidden. */
  flush: () => Promise<void>
  stop: () => void
}

interface Written {
  /** The rows whose messages were written; null: by an earlier visit. */
  rows: ChannelRows | null
  size: number
  usedAt: number
}

/**
 * Writes the rows to the device in batches in the background: the newest messages of the channels used last. Messages
 * of a channel that the user can no longer read are deleted at once. `before`: what an earlier visit stored;
 * `recentlyOpened`: the channels opened in this one, the latest first.
 */
export function createCachePersister(
  store: Store,
  device: Pick<DeviceStorage, 'writeCache'>,
  before: readonly Pick<CachedMessages, 'id' | 'size' | 'usedAt'>[],
  after: Ports['after'],
  recentlyOpened: () => readonly Uuid[],
): CachePersister {
  const written = new Map<Uuid, Written>(
    before.map(({ id, size, usedAt }) => [id, { rows: null, size, usedAt }]),
  )
  /** The rev of each channel at the last write. */
  const revs = new Map([...store.get().channels].map(([id, rows]) => [id, rows.entry.counters.rev]))
  let timer: (() => void) | null = null
  let last: State | null = null

  async function write() {
    timer?.()
    timer = null
    const state = store.get()
    if (state === last || state.source !== 'live') return
    last = state
    const now = Date.now()
    const order = recentlyOpened()
    // Channels opened in this visit by order; the others have the times of earlier visits.
    const usedAt = (id: Uuid) => {
      const at = order.indexOf(id)
      return at >= 0 ? now - at : (written.get(id)?.usedAt ?? 0)
    }
    const loaded = [...state.channels.values()].filter((rows) => rows.windows.length > 0)
    loaded.sort((a, b) => usedAt(b.entry.channel.id) - usedAt(a.entry.channel.id) || newer(a, b))
    const messages: CachedMessages[] = []
    const keptIds = new Set<Uuid>()
    let sizeLeft = MAX_SIZE
    for (const rows of loaded.slice(0, MAX_CHANNELS)) {
      const id = rows.entry.channel.id
      const known = written.get(id)
      const one = known?.rows === rows ? null : toCachedMessages(rows, usedAt(id))
      const size = one?.size ?? known?.size ?? 0
      // The least recently used are left out.
      if (size > sizeLeft) break
      sizeLeft -= size
      keptIds.add(id)
      if (one) messages.push(one)
      written.set(id, { rows, size, usedAt: usedAt(id) })
    }
    const unread = (id: Uuid) =>
      state.channels.get(id)?.windows.length === 0 && written.get(id)?.rows === null
    const left = [...written.keys()].filter((id) => !keptIds.has(id) && !unread(id))
    for (const id of left) written.delete(id)
    const dropped = [...new Set([...left, ...rolledBack(state)])]
    // On a full disk there is no offline copy.
    await device.writeCache(toCachedWorkspace(state), messages, dropped, moved(state)).catch(() => {})
  }

  /** Channels with a lower rev than before: the server was restored from a backup, and their stored messages are deleted. */
  function rolledBack(state: State): Uuid[] {
    const fewer = [...state.channels].filter(([id, rows]) => rows.entry.counters.rev < (revs.get(id) ?? 0))
    return fewer.map(([id]) => id)
  }

  /** Channels that have changed and are not loaded here: messages that another tab has stored may have been deleted. */
  function moved(state: State): ReadonlyMap<Uuid, number> {
    const stale = new Map<Uuid, number>()
    for (const [id, rows] of state.channels) {
      const { rev } = rows.entry.counters
      if (rows.windows.length === 0 && rev > (revs.get(id) ?? 0)) stale.set(id, rev)
      revs.set(id, rev)
    }
    return stale
  }

  const unsubscribe = store.subscribe(() => {
    const state = store.get()
    const lost = state.source === 'live' && [...written.keys()].some((id) => !state.channels.has(id))
    if (lost) void write()
    else timer ??= after(WRITE_DELAY_MS, () => void write())
  })
  return {
    flush: write,
    stop: () => {
      unsubscribe()
      timer?.()
    },
  }
}

function newer(a: ChannelRows, b: ChannelRows): number {
  return (b.entry.last_message_at ?? '').localeCompare(a.entry.last_message_at ?? '')
}
