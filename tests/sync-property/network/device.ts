import type { Broadcast, TopicListener } from '../../../app/data/sync/ports.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { TimerOwner } from './clock.ts'

export interface Subscription {
  topic: string
  listener: TopicListener
  joined: boolean
}

/** One page of one person, as the network sees it. */
export interface Device extends TimerOwner {
  label: string
  caller: () => Caller
  /** The profile of its user, once the page knows it. */
  me: () => Uuid | null
  /** Whether requests reach the server, and whether responses come back. */
  requestsArrive: boolean
  responsesArrive: boolean
  /** Whether there is a socket, and whether messages arrive through it. */
  socket: boolean
  messagesArrive: boolean
  subscriptions: Set<Subscription>
  inbox: { subscription: Subscription; message: Broadcast }[]
  /** Messages from other tabs of the browser: in order, none lost, but late. */
  tabMessages: (() => void)[]
}
