import type { Deeds, Doing } from './doing.ts'

function rootOf({ chance, live }: Doing) {
  return chance.pick(live.filter((one) => one.last_thread_seq > 0))
}

export const threads: Deeds = {
  'opens a thread': {
    often: 5,
    deed: (doing) => {
      const { tab, channel } = doing
      const root = rootOf(doing)
      if (!root) return null
      tab.threads.open(channel, root.id)
      tab.thread = { channel, root: root.id }
      tab.pointers.opened(root.id)
      return `${tab.label} opens the thread of “${root.body}”`
    },
  },
  'reads a thread': {
    often: 4,
    deed: (doing) => {
      const { tab, chance, channel } = doing
      const root = rootOf(doing)
      if (!root) return null
      const seq = Math.max(1, root.last_thread_seq - chance.below(2))
      tab.pointers.seeThread(channel, root.id, seq)
      return `${tab.label} reads the thread of “${root.body}” to ${seq}`
    },
  },
  'marks a thread unread': {
    often: 1.5,
    deed: async (doing) => {
      const { tab, chance, channel } = doing
      const root = rootOf(doing)
      if (!root) return null
      const seq = 1 + chance.below(root.last_thread_seq)
      await tab.pointers.markThreadUnread(channel, root.id, seq)
      return `${tab.label} marks the thread of “${root.body}” unread from ${seq}`
    },
  },
  'follows or leaves a thread': {
    often: 2,
    deed: async (doing) => {
      const { tab, chance, channel } = doing
      const root = chance.pick(doing.live.filter((one) => one.thread_root === null))
      if (!root) return null
      const on = chance.happens(0.6)
      await tab.outbox.put({ kind: 'followThread', id: chance.uuid(), channel, root: root.id, on })
      return `${tab.label} ${on ? 'follows' : 'leaves'} the thread of “${root.body}”`
    },
  },
  'opens the inbox of threads': {
    often: 2,
    deed: ({ scene, tab, chance }) => {
      const { workspace } = scene.home
      tab.ask('thread_inbox', { workspace, unread_only: chance.happens(0.5), limit: 5 }, (inbox) =>
        tab.store.dispatch({ type: 'inboxGiven', inbox }),
      )
      return `${tab.label} opens the inbox of threads`
    },
  },
}
