import type { State } from '../store/state.ts'
import { nearestExpiry } from './presence.ts'

/** Maximum delay of a browser timer (ms). */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface ExpiryTimer {
  /** Increases when a status or presence of a member has expired: hooks that cache must read it again. */
  version: () => number
  /** Checks the clock; called after waking, since timers do not run while the machine sleeps. */
  check: () => void
  stop: () => void
}

interface ExpiryPorts {
  store: { get: () => Pick<State, 'members'>; subscribe: (listener: () => void) => () => void }
  /** Milliseconds since 1970. */
  clock: () => number
  after: (ms: number, run: () => void) => () => void
  onExpired: () => void
}

/** Expires statuses and presences without a request, with one timer for the nearest. */
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
      // The timer fired early, or the delay was longer than a timer's maximum: it is set for the rest.
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
