import { channelLabel } from './actionContext.ts'
import type { ActionTable } from './actionContext.ts'

export const readingActions: ActionTable = {
  opens: {
    weight: 10,
    run: ({ tab, random }) => {
      const { channels } = tab.store.get()
      const channel = random.pick([...channels.keys()])
      if (channel === undefined) return null
      tab.open(channel)
      return `${tab.label} opens ${channelLabel({ rows: channels.get(channel), channel })}`
    },
  },
  closes: {
    weight: 3,
    run: ({ tab }) => {
      if (!tab.opened) return null
      tab.close()
      return `${tab.label} closes the conversation`
    },
  },
  // A link may lead to a channel that the tab does not know.
  'follows a link': {
    weight: 2,
    run: ({ simulation, tab, random }) => {
      const [name, channel] = random.pick(Object.entries(simulation.database.channels)) ?? []
      if (channel === undefined || tab.store.get().channels.has(channel)) return null
      void tab.engine.fetchEntry(channel)
      return `${tab.label} follows a link to the channel ${name}`
    },
  },
  reads: {
    weight: 7,
    run: (context) => {
      const { tab, random, channel, rows } = context
      if (!rows) return null
      const seq = Math.max(1, (rows.windows.at(-1)?.to ?? 0) - random.below(3))
      tab.readMarkers.markSeen(channel, seq)
      return `${tab.label} reads ${channelLabel(context)} to ${seq}`
    },
  },
  'marks unread': {
    weight: 2,
    run: (context) => {
      const { tab, random, channel, rows } = context
      if (!rows) return null
      const seq = Math.max(1, rows.entry.counters.last_seq - random.below(6))
      void tab.readMarkers.markUnread(channel, seq)
      return `${tab.label} marks ${channelLabel(context)} unread from ${seq}`
    },
  },
  scrolls: {
    weight: 4,
    run: (context) => {
      const { tab, random, channel, rows } = context
      if (!rows) return null
      const turn = random.below(4)
      const seq = Math.max(1, (rows.windows[0]?.from ?? 1) - random.below(20))
      const at = { channel, root: null }
      if (turn === 0) tab.views.loadBefore(at)
      else if (turn === 1) tab.views.loadAfter(at)
      else tab.views.jumpTo(at, turn === 2 ? 'end' : seq)
      return `${tab.label} scrolls ${channelLabel(context)} ${['up', 'down', 'to the end', `to ${seq}`][turn]}`
    },
  },
  refreshes: {
    weight: 2,
    run: ({ tab }) => {
      tab.engine.sendHeartbeat()
      return `${tab.label} refreshes`
    },
  },
}
