import type { Ports, Broadcast, TopicListener } from '../sync/ports.ts'

/** Messages between tabs about topics. The leader's socket serves all tabs. */
export type TopicTabMessage =
  /** Another tab became the leader: tabs subscribe again. */
  | { kind: 'leader-changed' }
  | { kind: 'subscribe' | 'unsubscribe'; tab: string; topic: string }
  | { kind: 'closed'; tab: string }
  /** `tab`: for one tab that subscribed later; null: for all. */
  | { kind: 'joined'; topic: string; tab: string | null }
  | { kind: 'broadcast'; topic: string; broadcast: Broadcast }
  | { kind: 'lost'; topic: string }
  | { kind: 'live'; live: boolean }

export interface SharedTopics {
  subscribe: Ports['subscribe']
  receive: (message: TopicTabMessage) => void
  /** This tab became or ceased to be the leader. */
  setLeader: (now: boolean) => void
  /** The socket of this tab was opened or closed. */
  setSocketLive: (live: boolean) => void
  /** Whether the leader's socket is connected. */
  live: () => boolean
  /** The page closes: the leader removes its subscriptions. */
  closing: () => void
  stop: () => void
}

interface Subscription {
  leave: () => void
  joined: boolean
  /** The subscribed tabs. */
  tabs: Set<string>
}

/**
 * Subscribes to topics by the socket of the leading tab. When another tab becomes the leader, all tabs join again and
 * fetch missed changes.
 */
export function createSharedTopics(options: {
  tab: string
  subscribeBySocket: Ports['subscribe']
  isLeader: () => boolean
  post: (message: TopicTabMessage) => void
  /** Resolves when another tab has ended: a crashed one sends no message. */
  ended: (tab: string) => Promise<void>
  onLive: () => void
}): SharedTopics {
  const { tab, subscribeBySocket, isLeader, post } = options
  /** Tabs with a pending `ended`. */
  const watched = new Set<string>()
  const listenersOfTab = new Map<string, Set<TopicListener>>()
  const subscriptions = new Map<string, Subscription>()
  let live = false

  const each = (topic: string, notify: (listener: TopicListener) => void) => {
    for (const listener of Array.from(listenersOfTab.get(topic) ?? [])) notify(listener)
  }

  function setLive(now: boolean) {
    if (live === now) return
    live = now
    options.onLive()
  }

  function watch(other: string) {
    if (other === tab || watched.has(other)) return
    watched.add(other)
    void options.ended(other).then(() => {
      watched.delete(other)
      removeFromAll(other)
    })
  }

  function removeFromAll(other: string) {
    for (const topic of Array.from(subscriptions.keys())) removeTab(topic, other)
  }

  function addTab(topic: string, by: string) {
    watch(by)
    const existing = subscriptions.get(topic)
    if (existing) {
      existing.tabs.add(by)
      if (!existing.joined) return
      if (by === tab) queueMicrotask(() => each(topic, (listener) => listener.joined()))
      else post({ kind: 'joined', topic, tab: by })
      return
    }
    const subscription: Subscription = { leave: () => {}, joined: false, tabs: new Set([by]) }
    subscriptions.set(topic, subscription)
    subscription.leave = subscribeBySocket(topic, {
      joined: () => {
        if (subscriptions.get(topic) !== subscription) return
        subscription.joined = true
        each(topic, (listener) => listener.joined())
        post({ kind: 'joined', topic, tab: null })
      },
      received: (broadcast) => {
        if (subscriptions.get(topic) !== subscription) return
        each(topic, (listener) => listener.received(broadcast))
        post({ kind: 'broadcast', topic, broadcast })
      },
      lost: () => {
        if (subscriptions.get(topic) !== subscription) return
        subscriptions.delete(topic)
        subscription.leave()
        each(topic, (listener) => listener.lost())
        post({ kind: 'lost', topic })
      },
    })
  }

  function removeTab(topic: string, by: string) {
    const subscription = subscriptions.get(topic)
    if (!subscription?.tabs.delete(by) || subscription.tabs.size > 0) return
    subscriptions.delete(topic)
    subscription.leave()
  }

  function leaveAll() {
    for (const subscription of subscriptions.values()) subscription.leave()
    subscriptions.clear()
  }

  return {
    subscribe: (topic, listener) => {
      const listeners = listenersOfTab.get(topic) ?? new Set()
      listenersOfTab.set(topic, listeners.add(listener))
      if (isLeader()) addTab(topic, tab)
      else post({ kind: 'subscribe', tab, topic })
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        if (listenersOfTab.get(topic) === listeners) listenersOfTab.delete(topic)
        if (isLeader()) removeTab(topic, tab)
        else post({ kind: 'unsubscribe', tab, topic })
      }
    },
    receive: (message) => {
      if (isLeader()) {
        if (message.kind === 'subscribe') addTab(message.topic, message.tab)
        else if (message.kind === 'unsubscribe') removeTab(message.topic, message.tab)
        else if (message.kind === 'closed') removeFromAll(message.tab)
        return
      }
      if (message.kind === 'leader-changed') {
        for (const topic of listenersOfTab.keys()) post({ kind: 'subscribe', tab, topic })
      } else if (message.kind === 'joined' && (message.tab === null || message.tab === tab)) {
        setLive(true)
        each(message.topic, (listener) => listener.joined())
      } else if (message.kind === 'broadcast')
        each(message.topic, (listener) => listener.received(message.broadcast))
      else if (message.kind === 'lost') each(message.topic, (listener) => listener.lost())
      else if (message.kind === 'live') setLive(message.live)
    },
    setLeader: (now) => {
      if (now) {
        for (const topic of listenersOfTab.keys()) addTab(topic, tab)
        post({ kind: 'leader-changed' })
        return
      }
      leaveAll()
      for (const topic of listenersOfTab.keys()) post({ kind: 'subscribe', tab, topic })
    },
    setSocketLive: (now) => {
      if (!isLeader()) return
      setLive(now)
      post({ kind: 'live', live: now })
    },
    live: () => live,
    closing: () => {
      if (!isLeader()) post({ kind: 'closed', tab })
    },
    stop: () => {
      if (!isLeader()) post({ kind: 'closed', tab })
      leaveAll()
      listenersOfTab.clear()
    },
  }
}
