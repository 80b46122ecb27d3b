import { workspaceTopic, channelTopic } from '../../../wire/events.ts'
import type { WorkspaceEvent, ChannelEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { GapFiller } from './gapFiller.ts'
import { backoff } from '../client/backoff.ts'
import type { Ports, Broadcast } from './ports.ts'
import type { State } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds of jitter per member of a channel, for rejoining after a new epoch. */
const JITTER_PER_MEMBER_MS = 10
const MAX_JITTER_MS = 10_000

interface Subscription {
  epoch: number
  leave: () => void
  joined: boolean
  /** Cancels a scheduled rejoin. */
  cancel: (() => void) | null
  losses: number
}

export interface TopicSubscriptions {
  /** Marks a channel as open, so that its topic is the last to be left. Returns a function that ends this. */
  open: (channelId: Uuid) => () => void
  isOpen: (channelId: Uuid) => boolean
  anyOpen: () => boolean
  isJoined: (channelId: Uuid) => boolean
  /** The channels opened in this visit, the latest first. */
  recentlyOpened: () => readonly Uuid[]
  /** Joins and leaves topics as needed; called after each change of rows. */
  updateSubscriptions: () => void
  onTyping: (listener: TypingListener) => void
  stop: () => void
}

export interface TypingListener {
  started: (typing: TypingPayload) => void
  /** The person's message has arrived. */
  ended: (channelId: Uuid, profileId: Uuid) => void
}

export type TypingPayload = Extract<ChannelEvent, { event: 'typing' }>['payload']

/** Subscribes to the workspace and to the open and most recent channels, each at its current epoch. */
export function createTopicSubscriptions(
  store: Store,
  ports: Ports,
  gapFiller: GapFiller,
  on: {
    /** The author of a message is not among the members. */
    unknownAuthor: (profileId: Uuid) => void
    /** Events may have been missed: a heartbeat shows what is missing. */
    eventsMissed: () => void
  },
): TopicSubscriptions {
  /** By the id of the channel, or of the workspace. */
  const subscriptions = new Map<Uuid, Subscription>()
  const open: Uuid[] = []
  const recent: Uuid[] = []
  /** The channels that the user is a member of, those with the newest messages first. */
  let sorted: { channels: State['channels']; ids: readonly Uuid[] } | null = null
  let typing: TypingListener | null = null
  let stopped = false

  /** Ids of topics by priority: workspace, open channels, those opened before, then those with the newest messages. */
  function topicIdsByPriority(): Uuid[] {
    const state = store.get()
    if (sorted?.channels !== state.channels)
      sorted = { channels: state.channels, ids: sortByLastMessage(state.channels) }
    const all = new Set([...open, ...recent, ...sorted.ids].filter((id) => state.channels.has(id)))
    const workspace = state.workspaceCounters && state.workspace ? [state.workspace.id] : []
    // One topic is the user's own.
    return [...workspace, ...[...all].slice(0, Math.max(1, state.maxTopics - 1 - workspace.length))]
  }

  const isWorkspace = (id: Uuid) => id === store.get().workspace?.id

  function epochOf(id: Uuid): number | undefined {
    const { channels, workspaceCounters } = store.get()
    return isWorkspace(id) ? workspaceCounters?.epoch : channels.get(id)?.entry.counters.epoch
  }

  function join(id: Uuid, epoch: number, losses: number) {
    const subscription: Subscription = { epoch, leave: () => {}, joined: false, cancel: null, losses }
    subscriptions.set(id, subscription)
    const topic = isWorkspace(id) ? workspaceTopic(id, epoch) : channelTopic(id, epoch)
    subscription.leave = ports.subscribe(topic, {
      joined: () => {
        if (subscriptions.get(id) !== subscription) return
        subscription.joined = true
        subscription.losses = 0
        const rows = store.get().channels.get(id)
        // The next heartbeat shows whether events were lost before.
        on.eventsMissed()
        // Neither bootstrap nor heartbeat contains a channel that the user reads without membership.
        if (rows && !rows.entry.member) void gapFiller.fetchEntry(id)
      },
      received: (received) => {
        if (subscriptions.get(id) !== subscription) return
        if (isWorkspace(id)) receiveWorkspaceEvent(id, received as WorkspaceEvent)
        else receiveChannelEvent(id, received)
      },
      lost: () => {
        if (subscriptions.get(id) === subscription)
          rejoin(id, backoff(ports.random, subscription.losses), subscription.losses + 1)
      },
    })
  }

  function receiveChannelEvent(channelId: Uuid, received: Broadcast) {
    const event = received as ChannelEvent
    if (event.payload?.channel_id !== channelId) return
    if (event.event === 'typing') typing?.started(event.payload)
    if (event.event === 'message') {
      const author = event.payload.message.author_id
      typing?.ended(channelId, author)
      if (!store.get().members.has(author)) on.unknownAuthor(author)
    }
    if (event.event === 'epoch') rejoinWithJitter(channelId, event.payload.members)
    store.dispatch({ type: 'channelEventReceived', event })
    gapFiller.fetchIfBehind(channelId)
  }

  function receiveWorkspaceEvent(id: Uuid, event: WorkspaceEvent) {
    if (event.payload?.workspace_id !== id) return
    if (event.event === 'epoch') rejoinWithJitter(id, event.payload.members)
    store.dispatch({ type: 'workspaceEventReceived', event })
    if (event.payload.rev > (store.get().workspaceCounters?.rev ?? 0)) on.eventsMissed()
  }

  function rejoinWithJitter(id: Uuid, members: number) {
    rejoin(id, ports.random() * Math.min(MAX_JITTER_MS, members * JITTER_PER_MEMBER_MS), 0)
  }

  /** Leaves now, and joins the current epoch after a delay. */
  function rejoin(id: Uuid, ms: number, losses: number) {
    const subscription = subscriptions.get(id)
    if (!subscription || subscription.cancel) return
    subscription.leave()
    subscription.joined = false
    subscription.cancel = ports.after(ms, () => {
      if (subscriptions.get(id) !== subscription) return
      subscriptions.delete(id)
      const epoch = epochOf(id)
      if (epoch === undefined || stopped) return
      join(id, epoch, losses)
      // A closed topic may mean a new epoch or the end of membership: the response shows which.
      if (losses === 0) return
      if (isWorkspace(id)) on.eventsMissed()
      else gapFiller.fetchChanges(id)
    })
  }

  function leave(id: Uuid) {
    const subscription = subscriptions.get(id)
    subscriptions.delete(id)
    subscription?.cancel?.()
    subscription?.leave()
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
    recentlyOpened: () => recent,
    isJoined: (channelId) => subscriptions.get(channelId)?.joined === true,
    updateSubscriptions: () => {
      // Cached rows have old epochs.
      if (stopped || store.get().source !== 'live') return
      const wantedIds = new Set(topicIdsByPriority())
      for (const id of subscriptions.keys()) if (!wantedIds.has(id)) leave(id)
      for (const id of wantedIds) {
        const epoch = epochOf(id)
        if (epoch === undefined) continue
        const subscription = subscriptions.get(id)
        if (!subscription) join(id, epoch, 0)
        else if (subscription.epoch < epoch) rejoin(id, ports.random() * 1000, 0)
      }
    },
    onTyping: (listener) => {
      typing = listener
    },
    stop: () => {
      stopped = true
      for (const id of subscriptions.keys()) leave(id)
    },
  }
}

function sortByLastMessage(channels: State['channels']): Uuid[] {
  return Array.from(channels.values(), ({ entry }) => entry)
    .filter(({ member, channel }) => member && channel.archived_at === null)
    .map(({ channel, last_message_at: at }) => ({ id: channel.id, at: at ?? '' }))
    .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
    .map(({ id }) => id)
}
