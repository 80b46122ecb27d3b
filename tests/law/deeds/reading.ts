import { nameOf } from './doing.ts'
import type { Deeds } from './doing.ts'

export const reading: Deeds = {
  opens: {
    often: 10,
    deed: ({ tab, chance }) => {
      const { channels } = tab.store.get()
      const channel = chance.pick([...channels.keys()])
      if (channel === undefined) return null
      tab.open(channel)
      return `${tab.label} opens ${nameOf({ rows: channels.get(channel), channel })}`
    },
  },
  closes: {
    often: 3,
    deed: ({ tab }) => {
      if (!tab.opened) return null
      tab.close()
      return `${tab.label} closes what was in front`
    },
  },
  // By a link: a channel that one may know nothing of.
  'follows a link': {
    often: 2,
    deed: ({ scene, tab, chance }) => {
      const [name, channel] = chance.pick(Object.entries(scene.home.channels)) ?? []
      if (channel === undefined || tab.store.get().channels.has(channel)) return null
      void tab.engine.find(channel)
      return `${tab.label} follows a link to the channel ${name}`
    },
  },
  reads: {
    often: 7,
    deed: (doing) => {
      const { tab, chance, channel, rows } = doing
      if (!rows) return null
      const seq = Math.max(1, (rows.windows.at(-1)?.to ?? 0) - chance.below(3))
      tab.pointers.see(channel, seq)
      return `${tab.label} reads ${nameOf(doing)} to ${seq}`
    },
  },
  'marks unread': {
    often: 2,
    deed: (doing) => {
      const { tab, chance, channel, rows } = doing
      if (!rows) return null
      const seq = Math.max(1, rows.entry.counters.last_seq - chance.below(6))
      void tab.pointers.markUnread(channel, seq)
      return `${tab.label} marks ${nameOf(doing)} unread from ${seq}`
    },
  },
  scrolls: {
    often: 4,
    deed: (doing) => {
      const { tab, chance, channel, rows } = doing
      if (!rows) return null
      const turn = chance.below(4)
      const seq = Math.max(1, (rows.windows[0]?.from ?? 1) - chance.below(20))
      if (turn === 0) tab.views.loadBefore(channel)
      else if (turn === 1) tab.views.loadAfter(channel)
      else tab.views.jumpTo(channel, turn === 2 ? 'end' : seq)
      return `${tab.label} scrolls ${nameOf(doing)} ${['up', 'down', 'to the end', `to ${seq}`][turn]}`
    },
  },
  'looks again': {
    often: 2,
    deed: ({ tab }) => {
      tab.engine.beat()
      return `${tab.label} looks again`
    },
  },
}
