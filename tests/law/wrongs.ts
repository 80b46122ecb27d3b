import { apply } from '../../app/data/store/applyEvent.ts'
import type { ChannelRows, State } from '../../app/data/store/state.ts'
import type { Uuid } from '../../wire/linnet.ts'
import type { Wrong } from './actor.ts'

function withRows(state: State, id: Uuid, how: (rows: ChannelRows) => ChannelRows): State {
  const rows = state.channels.get(id)
  return rows ? { ...state, channels: new Map(state.channels).set(id, how(rows)) } : state
}

/** Mistakes that the law must notice, each one that such an engine was once seen to make. */
export const WRONGS: Record<string, Wrong> = {
  /** Takes a broadcast for a proof: after a gap it believes to be up to date. */
  overlooksGaps: {
    reduce: (state, event) => {
      const next = apply(state, event)
      const told = event.type === 'channelTold' ? event.event : null
      if (told?.event !== 'message' && told?.event !== 'changed') return next
      const { channel_id: id, rev } = told.payload
      return withRows(next, id, (rows) => ({ ...rows, rev: Math.max(rows.rev, rev) }))
    },
  },
  /** Counts a message that is told twice as two. */
  countsTwice: {
    reduce: (state, event) => {
      const next = apply(state, event)
      if (event.type !== 'channelTold' || event.event.event !== 'message') return next
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
  /** Goes on listening to the old topic. */
  forgetsEpochs: {
    reduce: (state, event) => {
      const next = apply(state, event)
      for (const [id, rows] of state.channels) {
        const now = next.channels.get(id)
        if (!now || now.entry.counters.epoch === rows.entry.counters.epoch) continue
        const counters = { ...now.entry.counters, epoch: rows.entry.counters.epoch }
        return withRows(next, id, (one) => ({ ...one, entry: { ...one.entry, counters } }))
      }
      return next
    },
  },
  /** Names a message anew with each try. */
  sendsAnew: {
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
  /** Keeps a channel from which one was removed. */
  staysInside: {
    reduce: (state, event) => {
      const next = apply(state, event)
      const gone = [...state.channels].filter(([id]) => !next.channels.has(id))
      return gone.length > 0 ? { ...next, channels: new Map([...next.channels, ...gone]) } : next
    },
  },
  /** Treats a read marker as saved without sending it to the server. */
  losesReads: {
    call: (call) => (name, args) =>
      name === 'mark_read'
        ? Promise.resolve({ ok: false, failure: { name: 'not_found', sentence: '', again: false } })
        : call(name, args),
  },
}
