import type { Ports, Broadcast, TopicListener } from '../sync/ports.ts'

/** What tabs tell each other of topics: the leader's socket serves all of them. */
export type TopicNews =
  /** A tab leads since now: whoever holds topics says so again. */
  | { kind: 'led' }
  | { kind: 'hold' | 'leave'; tab: string; topic: string }
  | { kind: 'closed'; tab: string }
  /** For one tab that came later, or for all. */
  | { kind: 'joined'; topic: string; tab: string | null }
  | { kind: 'told'; topic: string; told: Broadcast }
  | { kind: 'lost'; topic: string }
  | { kind: 'live'; live: boolean }

export interface SharedTopics {
  subscribe: Ports['subscribe']
  hear: (news: TopicNews) => void
  /** This tab began to lead, or ended. */
  leading: (now: boolean) => void
  /** The socket of this tab came or went. */
  socket: (live: boolean) => void
  /** Whether topics are held now, by whichever tab's socket. */
  live: () => boolean
  /** The page goes: the leader need not hold anything for it. */
  closing: () => void
  stop: () => void
}

interface Hold {
  leave: () => void
  joined: boolean
  /** The tabs that want it. */
  tabs: Set<string>
}

/**
 * Topics by the socket of the leading tab: its own `subscribe` when this tab leads, else the leader's, whom
 * it asks. Changing the lead means joining again, and so filling whatever gap was between.
 */
export function sharedTopics(options: {
  tab: string
  own: Ports['subscribe']
  leads: () => boolean
  tell: (news: TopicNews) => void
  /** Resolves when another tab has ended: one that crashed sends nothing. */
  ended: (tab: string) => Promise<void>
  onLive: () => void
}): SharedTopics {
  const { tab, own, leads, tell } = options
  /** The tabs whose end is waited for. */
  const watched = new Set<string>()
  const mine = new Map<string, Set<TopicListener>>()
  const holds = new Map<string, Hold>()
  let live = false

  const each = (topic: string, what: (listener: TopicListener) => void) => {
    for (const listener of Array.from(mine.get(topic) ?? [])) what(listener)
  }

  function become(now: boolean) {
    if (live === now) return
    live = now
    options.onLive()
  }

  function watch(other: string) {
    if (other === tab || watched.has(other)) return
    watched.add(other)
    void options.ended(other).then(() => {
      watched.delete(other)
      forget(other)
    })
  }

  function forget(other: string) {
    for (const topic of Array.from(holds.keys())) unwant(topic, other)
  }

  function want(topic: string, by: string) {
    watch(by)
    const held = holds.get(topic)
    if (held) {
      held.tabs.add(by)
      if (!held.joined) return
      if (by === tab) queueMicrotask(() => each(topic, (listener) => listener.joined()))
      else tell({ kind: 'joined', topic, tab: by })
      return
    }
    const hold: Hold = { leave: () => {}, joined: false, tabs: new Set([by]) }
    holds.set(topic, hold)
    hold.leave = own(topic, {
      joined: () => {
        if (holds.get(topic) !== hold) return
        hold.joined = true
        each(topic, (listener) => listener.joined())
        tell({ kind: 'joined', topic, tab: null })
      },
      received: (told) => {
        if (holds.get(topic) !== hold) return
        each(topic, (listener) => listener.received(told))
        tell({ kind: 'told', topic, told })
      },
      lost: () => {
        if (holds.get(topic) !== hold) return
        holds.delete(topic)
        hold.leave()
        each(topic, (listener) => listener.lost())
        tell({ kind: 'lost', topic })
      },
    })
  }

  function unwant(topic: string, by: string) {
    const hold = holds.get(topic)
    if (!hold?.tabs.delete(by) || hold.tabs.size > 0) return
    holds.delete(topic)
    hold.leave()
  }

  function dropAll() {
    for (const hold of holds.values()) hold.leave()
    holds.clear()
  }

  return {
    subscribe: (topic, listener) => {
      const listeners = mine.get(topic) ?? new Set()
      mine.set(topic, listeners.add(listener))
      if (leads()) want(topic, tab)
      else tell({ kind: 'hold', tab, topic })
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        if (mine.get(topic) === listeners) mine.delete(topic)
        if (leads()) unwant(topic, tab)
        else tell({ kind: 'leave', tab, topic })
      }
    },
    hear: (news) => {
      if (leads()) {
        if (news.kind === 'hold') want(news.topic, news.tab)
        else if (news.kind === 'leave') unwant(news.topic, news.tab)
        else if (news.kind === 'closed') forget(news.tab)
        return
      }
      if (news.kind === 'led') {
        for (const topic of mine.keys()) tell({ kind: 'hold', tab, topic })
      } else if (news.kind === 'joined' && (news.tab === null || news.tab === tab)) {
        become(true)
        each(news.topic, (listener) => listener.joined())
      } else if (news.kind === 'told') each(news.topic, (listener) => listener.received(news.told))
      else if (news.kind === 'lost') each(news.topic, (listener) => listener.lost())
      else if (news.kind === 'live') become(news.live)
    },
    leading: (now) => {
      if (now) {
        for (const topic of mine.keys()) want(topic, tab)
        tell({ kind: 'led' })
        return
      }
      dropAll()
      for (const topic of mine.keys()) tell({ kind: 'hold', tab, topic })
    },
    socket: (now) => {
      if (!leads()) return
      become(now)
      tell({ kind: 'live', live: now })
    },
    live: () => live,
    closing: () => {
      if (!leads()) tell({ kind: 'closed', tab })
    },
    stop: () => {
      if (!leads()) tell({ kind: 'closed', tab })
      dropAll()
      mine.clear()
    },
  }
}
