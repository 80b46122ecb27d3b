import type { Uuid } from '../../../wire/linnet.ts'
import type { Device } from './device.ts'
import { baseOf, wordsOf } from '../sync/kept.ts'
import type { Ports } from '../sync/ports.ts'
import type { ChannelRows, State } from '../sync/state.ts'
import type { Store } from '../sync/store.ts'

/** The newest words of so many channels stay readable offline. */
const CHANNELS = 20
/** Milliseconds that changes are gathered before they are written. */
const PAUSE = 1_500

export interface Keeper {
  /** Writes at once what has changed: the page hides. */
  flush: () => void
  stop: () => void
}

/**
 * Writes the rows to the device behind the reader's back, gathered, the newest words of a few channels.
 * `before`: the channels of which an earlier visit kept words.
 */
export function keepWords(
  store: Store,
  device: Pick<Device, 'keep'>,
  before: readonly Uuid[],
  after: Ports['after'],
): Keeper {
  const written = new Map<Uuid, ChannelRows | null>(before.map((id) => [id, null]))
  let timer: (() => void) | null = null
  let last: State | null = null

  async function write() {
    timer = null
    const state = store.get()
    if (state === last || state.source !== 'live') return
    last = state
    const held = [...state.channels.values()].filter((rows) => rows.windows.length > 0)
    held.sort((a, b) => (b.entry.last_message_at ?? '').localeCompare(a.entry.last_message_at ?? ''))
    const kept = new Map(held.slice(0, CHANNELS).map((rows) => [rows.entry.channel.id, rows]))
    const words = [...kept.values()].flatMap((rows) => {
      if (written.get(rows.entry.channel.id) === rows) return []
      return wordsOf(rows) ?? []
    })
    // Those that may not be seen any more leave this device too.
    const unread = (id: Uuid) => state.channels.has(id) && written.get(id) === null
    const dropped = [...written.keys()].filter((id) => !kept.has(id) && !unread(id))
    for (const id of dropped) written.delete(id)
    for (const [id, rows] of kept) written.set(id, rows)
    // A full disk costs the offline copy, nothing else.
    await device.keep(baseOf(state), words, dropped).catch(() => {})
  }

  const unsubscribe = store.subscribe(() => {
    timer ??= after(PAUSE, () => void write())
  })
  return {
    flush: () => {
      timer?.()
      void write()
    },
    stop: () => {
      unsubscribe()
      timer?.()
    },
  }
}
