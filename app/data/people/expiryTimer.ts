import type { State } from '../store/state.ts'
import { nearestExpiry } from './presence.ts'

/** Browsers count no longer than this in one timer (ms). */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface ExpiryTimer {
  /** Increases when a status or presence of a member has expired: hooks that cache must read it again. */
  version: () => number
  /** Looks at the clock: after waking, when timers have slept too. */
  check: () => void
  stop: () => void
}

interface ExpiryPorts {
  store: { get: () => Pick<State, 'members'>; subscribe: (listener: () => void) => () => void }
  /** The clock on the wall, in ms. */
  clock: () => number
  after: (ms: number, run: () => void) => () => void
  onExpired: () => void
}

/** Ends statuses and presences at their moment, without a request: one timer, for the nearest of them. */
export function createExpiryTimer({ store, clock, after, onExpired }: ExpiryPorts): ExpiryTimer {
  let version = 0
  let members: State['members'] | null = null
  let next: number | null = null
  let cancel: () => void = () => {}

  function schedule() {
    cancel()
    cancel = () => {}
    members = store.get().members
    next = nearestExpiry(
      [...members.values()].map((member) => member.profile),
      clock(),
    )
    if (next !== null) cancel = after(Math.min(next - clock(), MAX_TIMEOUT_MS), check)
  }

  function check() {
    const over = next !== null && next <= clock()
    if (over) version += 1
    if (over || members !== store.get().members) schedule()
    else if (next !== null) {
      // A timer that fired early, or slept with the machine: it is set anew for what is left.
      cancel()
      cancel = after(Math.min(next - clock(), MAX_TIMEOUT_MS), check)
    }
    if (over) onExpired()
  }

  const unsubscribe = store.subscribe(() => {
    if (members !== store.get().members || (next !== null && next <= clock())) check()
  })
  schedule()
  return {
    version: () => version,
    check,
    stop: () => {
      unsubscribe()
      cancel()
    },
  }
}
