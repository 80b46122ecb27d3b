/** Whose timers they are: they stand still while it sleeps. */
export interface Sleeper {
  asleep: boolean
}

interface Timer {
  owner: Sleeper
  at: number
  order: number
  run: () => void
}

/** Time that stands still until it is moved. */
export interface Clock {
  now: () => number
  /** A date of this clock that no other one has: people don't write twice in one millisecond. */
  date: () => string
  after: (owner: Sleeper, ms: number, run: () => void) => () => void
  /** Moves on and runs what was due, of those who are awake: who slept meanwhile has all of it run at once. */
  pass: (ms: number) => Promise<void>
  forget: (owner: Sleeper) => void
}

/** Lets everything that waits for nothing but promises go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

export function createClock(): Clock {
  let timers: Timer[] = []
  let now = 0
  let orders = 0
  let dated = 0

  function next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) {
      if (timer.owner.asleep || timer.at > until) continue
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  return {
    now: () => now,
    date: () => {
      dated = Math.max(dated + 1, Math.floor(now))
      return new Date(dated).toISOString()
    },
    after: (owner, ms, run) => {
      const timer: Timer = { owner, at: now + ms, order: (orders += 1), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    pass: async (ms) => {
      const until = now + ms
      for (let due = next(until); due; due = next(until)) {
        const ended = due
        timers = timers.filter((one) => one !== ended)
        now = Math.max(now, due.at)
        due.run()
        await settle()
      }
      now = until
    },
    forget: (owner) => {
      timers = timers.filter((one) => one.owner !== owner)
    },
  }
}
