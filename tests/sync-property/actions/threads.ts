import type { ActionTable, ActionContext } from './actionContext.ts'

function rootOf({ random, live }: ActionContext) {
  return random.pick(live.filter((one) => one.last_thread_seq > 0))
}

export const threadActions: ActionTable = {
  'opens a thread': {
    weight: 5,
    run: (context) => {
      const { tab, channel } = context
      const root = rootOf(context)
      if (!root) return null
      tab.thread = { channel, root: root.id }
      tab.views.open(tab.thread)
      tab.readMarkers.resumeReading(root.id)
      return `${tab.label} opens the thread of “${root.body}”`
    },
  },
  'reads a thread': {
    weight: 4,
    run: (context) => {
      const { tab, random, channel } = context
      const root = rootOf(context)
      if (!root) return null
      const seq = Math.max(1, root.last_thread_seq - random.below(2))
      tab.readMarkers.markThreadSeen(channel, root.id, seq)
      return `${tab.label} reads the thread of “${root.body}” to ${seq}`
    },
  },
  'marks a thread unread': {
    weight: 1.5,
    run: async (context) => {
      const { tab, random, channel } = context
      const root = rootOf(context)
      if (!root) return null
      const seq = 1 + random.below(root.last_thread_seq)
      await tab.readMarkers.markThreadUnread(channel, root.id, seq)
      return `${tab.label} marks the thread of “${root.body}” unread from ${seq}`
    },
  },
  'follows or leaves a thread': {
    weight: 2,
    run: async (context) => {
      const { tab, random, channel } = context
      const root = random.pick(context.live.filter((one) => one.thread_root === null))
      if (!root) return null
      const on = random.happens(0.6)
      await tab.outbox.put({ kind: 'followThread', id: random.uuid(), channel, root: root.id, on })
      return `${tab.label} ${on ? 'follows' : 'leaves'} the thread of “${root.body}”`
    },
  },
  'opens the inbox of threads': {
    weight: 2,
    run: ({ simulation, tab, random }) => {
      const { workspace } = simulation.database
      tab.run('thread_inbox', { workspace, unread_only: random.happens(0.5), limit: 5 }, (inbox) =>
        tab.store.dispatch({ type: 'inboxReceived', inbox }),
      )
      return `${tab.label} opens the inbox of threads`
    },
  },
}
