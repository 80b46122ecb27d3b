import { applyEvent } from '../../app/data/store/applyEvent.ts'
import type { ChannelRows, State } from '../../app/data/store/state.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { Mutant } from './tab.ts'

function withRows(state: State, id: Uuid, how: (rows: ChannelRows) => ChannelRows): State {
  const rows = state.channels.get(id)
  return rows ? { ...state, channels: new Map(state.channels).set(id, how(rows)) } : state
}

/** Injected defects that the checks must detect. Each was once a real defect of a sync engine. */
export const MUTANTS: Record<string, Mutant> = {
  /** Trusts a broadcast after a gap and considers itself up to date. */
  ignoresGaps: {
    reduce: (state, event) => {
      const next = applyEvent(state, event)
      const received = event.type === 'channelEventReceived' ? event.event : null
      if (received?.event !== 'message' && received?.event !== 'changed') return next
      const { channel_id: id, rev } = received.payload
      return withRows(next, id, (rows) => ({ ...rows, rev: Math.max(rows.rev, rev) }))
    },
  },
  /** Counts a message that is delivered twice as two. */
  countsDuplicates: {
    reduce: (state, event) => {
      const next = applyEvent(state, event)
      if (event.type !== 'channelEventReceived' || event.event.event !== 'message') return next
      const { channel_id: id, rev, message } = event.event.payload
      const rows = state.channels.get(id)
      if (!rows || rev > rows.rev || message.author_id === state.me?.profile.id) return next
      return withRows(next, id, (known) => {
        const { counts } = known.entry
        const entry = { ...known.entry, counts: { ...counts, unread: counts.unread + 1 } }
        return { ...known, entry, countsRev: known.countsRev + 1 }
      })
    },
  },
  /** Stays subscribed to the topic of the old epoch. */
  ignoresEpochs: {
    reduce: (state, event) => {
      const next = applyEvent(state, event)
      for (const [id, rows] of state.channels) {
        const now = next.channels.get(id)
        if (!now || now.entry.counters.epoch === rows.entry.counters.epoch) continue
        const counters = { ...now.entry.counters, epoch: rows.entry.counters.epoch }
        return withRows(next, id, (one) => ({ ...one, entry: { ...one.entry, counters } }))
      }
      return next
    },
  },
  /** Uses a new id for each try of a message. */
  sendsNewIds: {
    call: (call) => {
      const tried = new Set<Uuid>()
      return (name, args) => {
        const { id } = args as { id?: Uuid }
        if (name !== 'send_message' || id === undefined) return call(name, args)
        const again = tried.has(id)
        tried.add(id)
        return call(name, again ? { ...args, id: id.replace(/^.{8}/, '00000000') } : args)
      }
    },
  },
  /** Keeps a channel after being removed from it. */
  keepsRemovedChannels: {
    reduce: (state, event) => {
      const next = applyEvent(state, event)
      const gone = [...state.channels].filter(([id]) => !next.channels.has(id))
      return gone.length > 0 ? { ...next, channels: new Map([...next.channels, ...gone]) } : next
    },
  },
  /** Treats a read marker as saved without sending it to the server. */
  losesReadMarkers: {
    call: (call) => (name, args) =>
      name === 'mark_read'
        ? Promise.resolve({ ok: false, failure: { name: 'not_found', message: '', isRetryable: false } })
        : call(name, args),
  },
}
