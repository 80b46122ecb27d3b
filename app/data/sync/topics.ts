import { channelTopic, workspaceTopic } from '../../../wire/linnet.ts'
import type { ChannelEvent, Uuid, WorkspaceEvent } from '../../../wire/linnet.ts'
import type { Changes } from './gapFiller.ts'
import { backoff } from './ports.ts'
import type { Ports, Told } from './ports.ts'
import { holdsWords } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** Ms by which each member of a channel spreads the rejoining after a new epoch. */
const JITTER_PER_MEMBER = 10
const JITTER_MOST = 10_000

interface Held {
  epoch: number
  leave: () => void
  joined: boolean
  /** Calls off a rejoin that waits. */
  cancel: (() => void) | null
  losses: number
}

export interface Topics {
  /** In front now: its topic is the last to be given up. The returned function says it is not any more. */
  open: (channelId: Uuid) => () => void
  isOpen: (channelId: Uuid) => boolean
  anyOpen: () => boolean
  holds: (channelId: Uuid) => boolean
  /** Those opened in this visit, the latest first. */
  opened: () => readonly Uuid[]
  /** Joins and leaves so that what is held is what should be; called after each change of rows. */
  settle: () => void
  onTyping: (listener: TypingListener) => void
  stop: () => void
}

export interface TypingListener {
  told: (typing: TypingTold) => void
  /** Their message has come. */
  ended: (channelId: Uuid, profileId: Uuid) => void
}

export type TypingTold = Extract<ChannelEvent, { event: 'typing' }>['payload']

/** Holds the topics of the workspace, and of the open and the most recent channels, each at its present epoch. */
export function createTopics(
  store: Store,
  ports: Ports,
  changes: Changes,
  on: {
    /** Somebody writes who is not known here. */
    stranger: (profileId: Uuid) => void
    /** What was sent before, or between two events, is not held: a beat shows what is missing. */
    missed: () => void
  },
): Topics {
  const held = new Map<Uuid, Held>()
  const open: Uuid[] = []
  const recent: Uuid[] = []
  let typing: TypingListener | null = null
  let stopped = false

  /** Most wanted first: open ones, those opened before, then those with the newest words. */
  function wanted(): Uuid[] {
    const state = store.get()
    const byDate = [...state.channels.values()]
      .filter((rows) => rows.entry.member && rows.entry.channel.archived_at === null)
      .sort((a, b) => (b.entry.last_message_at ?? '').localeCompare(a.entry.last_message_at ?? ''))
      .map((rows) => rows.entry.channel.id)
    const all = new Set([...open, ...recent, ...byDate].filter((id) => state.channels.has(id)))
    const workspace = state.people && state.workspace ? [state.workspace.id] : []
    // One topic is the person's own.
    return [...workspace, ...[...all].slice(0, Math.max(1, state.topics - 1 - workspace.length))]
  }

  const isWorkspace = (id: Uuid) => id === store.get().workspace?.id

  function epochOf(id: Uuid): number | undefined {
    const { channels, people } = store.get()
    return isWorkspace(id) ? people?.epoch : channels.get(id)?.entry.counters.epoch
  }

  function join(channelId: Uuid, epoch: number, losses: number) {
    const one: Held = { epoch, leave: () => {}, joined: false, cancel: null, losses }
    held.set(channelId, one)
    const topic = isWorkspace(channelId) ? workspaceTopic(channelId, epoch) : channelTopic(channelId, epoch)
    one.leave = ports.subscribe(topic, {
      joined: () => {
        if (held.get(channelId) !== one) return
        one.joined = true
        one.losses = 0
        const rows = store.get().channels.get(channelId)
        // Where no words are held only counts can be stale.
        if (rows && holdsWords(rows)) changes.ask(channelId)
        else on.missed()
        // Of a channel that one only looks into neither bootstrap nor beat tells.
        if (rows && !rows.entry.member) void changes.find(channelId)
      },
      told: (told) => {
        if (held.get(channelId) !== one) return
        if (isWorkspace(channelId)) hearWorkspace(channelId, told as WorkspaceEvent)
        else hear(channelId, told)
      },
      lost: () => {
        if (held.get(channelId) === one) rejoin(channelId, backoff(ports, one.losses), one.losses + 1)
      },
    })
  }

  function hear(channelId: Uuid, told: Told) {
    const event = told as ChannelEvent
    if (event.payload?.channel_id !== channelId) return
    if (event.event === 'typing') typing?.told(event.payload)
    if (event.event === 'message') {
      const author = event.payload.message.author_id
      typing?.ended(channelId, author)
      if (!store.get().members.has(author)) on.stranger(author)
    }
    if (event.event === 'epoch') rejoinSpread(channelId, event.payload.members)
    store.dispatch({ type: 'channelTold', event })
    changes.askIfBehind(channelId)
  }

  function hearWorkspace(id: Uuid, event: WorkspaceEvent) {
    if (event.payload?.workspace_id !== id) return
    if (event.event === 'epoch') rejoinSpread(id, event.payload.members)
    store.dispatch({ type: 'workspaceTold', event })
    if (event.payload.rev > (store.get().people?.rev ?? 0)) on.missed()
  }

  function rejoinSpread(id: Uuid, members: number) {
    rejoin(id, ports.random() * Math.min(JITTER_MOST, members * JITTER_PER_MEMBER), 0)
  }

  /** Leaves now, and joins whatever epoch is known after a while; asks first whether there is one. */
  function rejoin(channelId: Uuid, ms: number, losses: number) {
    const one = held.get(channelId)
    if (!one || one.cancel) return
    one.leave()
    one.joined = false
    one.cancel = ports.after(ms, () => {
      if (held.get(channelId) !== one) return
      held.delete(channelId)
      const epoch = epochOf(channelId)
      if (epoch === undefined || stopped) return
      join(channelId, epoch, losses)
      // A closed topic may mean a new epoch, or the end of membership: the answer tells which.
      if (losses === 0) return
      if (isWorkspace(channelId)) on.missed()
      else changes.ask(channelId)
    })
  }

  function leave(channelId: Uuid) {
    const one = held.get(channelId)
    held.delete(channelId)
    one?.cancel?.()
    one?.leave()
  }

  return {
    open: (channelId) => {
      open.unshift(channelId)
      const at = recent.indexOf(channelId)
      if (at >= 0) recent.splice(at, 1)
      recent.unshift(channelId)
      recent.length = Math.min(recent.length, 100)
      let released = false
      return () => {
        if (released) return
        released = true
        const index = open.indexOf(channelId)
        if (index >= 0) open.splice(index, 1)
      }
    },
    isOpen: (channelId) => open.includes(channelId),
    anyOpen: () => open.length > 0,
    opened: () => recent,
    holds: (channelId) => held.get(channelId)?.joined === true,
    settle: () => {
      // What is kept on the device knows old epochs.
      if (stopped || store.get().source !== 'live') return
      const want = new Set(wanted())
      for (const id of held.keys()) if (!want.has(id)) leave(id)
      for (const id of want) {
        const epoch = epochOf(id)
        if (epoch === undefined) continue
        const one = held.get(id)
        if (!one) join(id, epoch, 0)
        else if (one.epoch < epoch) rejoin(id, ports.random() * 1000, 0)
      }
    },
    onTyping: (listener) => {
      typing = listener
    },
    stop: () => {
      stopped = true
      for (const id of held.keys()) leave(id)
    },
  }
}
