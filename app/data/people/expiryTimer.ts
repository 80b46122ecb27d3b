import type { State } from '../store/state.ts'
import { nearestExpiry } from './presence.ts'

/** Browsers count no longer than this in one timer (ms). */
const LONGEST = 2 ** 31 - 1

export interface Expiries {
  /** Rises when something someone said of themselves has ended: hooks that cache must look again. */
  version: () => number
  /** Looks at the clock: after waking, when timers have slept too. */
  look: () => void
  stop: () => void
}

interface Needs {
  store: { get: () => Pick<State, 'members'>; subscribe: (listener: () => void) => () => void }
  /** The clock on the wall, in ms. */
  clock: () => number
  after: (ms: number, run: () => void) => () => void
  tell: () => void
}

/** Ends statuses and presences at their moment, without a request: one timer, for the nearest of them. */
export function createExpiries({ store, clock, after, tell }: Needs): Expiries {
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
    if (next !== null) cancel = after(Math.min(next - clock(), LONGEST), look)
  }

  function look() {
    const over = next !== null && next <= clock()
    if (over) version += 1
    if (over || members !== store.get().members) schedule()
    else if (next !== null) {
      // A timer that fired early, or slept with the machine: it is set anew for what is left.
      cancel()
      cancel = after(Math.min(next - clock(), LONGEST), look)
    }
    if (over) tell()
  }

  const unsubscribe = store.subscribe(() => {
    if (members !== store.get().members || (next !== null && next <= clock())) look()
  })
  schedule()
  return {
    version: () => version,
    look,
    stop: () => {
      unsubscribe()
      cancel()
    },
  }
}
