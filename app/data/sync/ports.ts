import type { CommandName, Commands } from '../../../wire/linnet.ts'
import type { Outcome } from '../failures/failures.ts'

/** What is told on a topic, as the library hands it over: to be read by its event's name. */
export interface Broadcast {
  event: string
  payload: unknown
}

export interface TopicListener {
  /** The topic is held (again): from now on changes are told, those before have to be asked for. */
  joined: () => void
  received: (received: Broadcast) => void
  /** Refused or closed while the socket stands: nobody joins it again but the listener. */
  lost: () => void
}

/** What the engine needs of the world, so that the law can give it another one. */
export interface Ports {
  /** Asks a command; answers a failure rather than throwing. */
  call: <N extends CommandName>(name: N, args: Commands[N]['args']) => Promise<Outcome<Commands[N]['answer']>>
  /** Holds a topic until the returned function is called. */
  subscribe: (topic: string, listener: TopicListener) => () => void
  /** Milliseconds of a clock that never goes back, for spans alone. */
  now: () => number
  /** Runs once after so many milliseconds; the returned function calls it off. */
  after: (ms: number, run: () => void) => () => void
  /** 0 ≤ n < 1 */
  random: () => number
  /** Whether somebody looks at this page. */
  visible: () => boolean
}

/** Doubles with each try up to a bound, half of it by chance, so that many clients don't come back as one. */
export function backoff(ports: Pick<Ports, 'random'>, attempts: number, maxMs = 30_000): number {
  const span = Math.min(maxMs, 1000 * 2 ** Math.min(attempts, 10))
  return span / 2 + (ports.random() * span) / 2
}
