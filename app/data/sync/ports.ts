import type { CommandName, Commands } from '../../../wire/commands.ts'
import type { Outcome } from '../failures/failures.ts'

/** A broadcast on a topic as the library delivers it; `event` determines the payload. */
export interface Broadcast {
  event: string
  payload: unknown
}

export interface TopicListener {
  /** Subscribed (again): changes are received from now on, earlier ones have to be fetched. */
  joined: () => void
  received: (received: Broadcast) => void
  /** Refused, or closed while the socket is open: the listener has to join again. */
  lost: () => void
}

/** Dependencies of the engine, which tests replace. */
export interface Ports {
  /** Calls a command; never throws. */
  call: <N extends CommandName>(
    name: N,
    args: Commands[N]['args'],
  ) => Promise<Outcome<Commands[N]['response']>>
  /** Subscribes to a topic until the returned function is called. */
  subscribe: (topic: string, listener: TopicListener) => () => void
  /** Milliseconds of a monotonic clock, for durations. */
  now: () => number
  /** Runs once after so many milliseconds; returns a function that cancels it. */
  after: (ms: number, run: () => void) => () => void
  /** 0 ≤ n < 1 */
  random: () => number
  /** Whether this page is visible. */
  visible: () => boolean
}
