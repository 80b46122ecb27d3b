/** The page that set a timer: its timers stand still while it is suspended. */
export interface TimerOwner {
  asleep: boolean
}

interface Timer {
  owner: TimerOwner
  at: number
  order: number
  run: () => void
}

/** Time that advances only on request. */
export interface Clock {
  now: () => number
  /** A unique date of this clock: people don't write twice in one millisecond. */
  date: () => string
  after: (owner: TimerOwner, ms: number, run: () => void) => () => void
  /** Advances and runs the timers that are due, except those of suspended pages, which run at once on resuming. */
  advance: (ms: number) => Promise<void>
  removeOwner: (owner: TimerOwner) => void
}

/** Lets everything continue that awaits only promises. */
export function flushPromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

export function createClock(): Clock {
  let timers: Timer[] = []
  let now = 0
  let timerCount = 0
  let lastDate = 0

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
      lastDate = Math.max(lastDate + 1, Math.floor(now))
      return new Date(lastDate).toISOString()
    },
    after: (owner, ms, run) => {
      const timer: Timer = { owner, at: now + ms, order: (timerCount += 1), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    advance: async (ms) => {
      const until = now + ms
      for (let due = next(until); due; due = next(until)) {
        const ended = due
        timers = timers.filter((one) => one !== ended)
        now = Math.max(now, due.at)
        due.run()
        await flushPromises()
      }
      now = until
    },
    removeOwner: (owner) => {
      timers = timers.filter((one) => one.owner !== owner)
    },
  }
}
