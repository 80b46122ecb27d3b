/** A clock that the test moves forward, and the timers that depend on it. `start` is its time in milliseconds. */
export function createTestTimers(start: number) {
  let timers: { at: number; run: () => void }[] = []
  let now = start
  return {
    clock: () => now,
    after: (ms: number, run: () => void) => {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    /** Runs the timers that are due `ms` later. */
    advance: (ms: number) => {
      now += ms
      const due = timers.filter((timer) => timer.at <= now)
      timers = timers.filter((timer) => timer.at > now)
      for (const timer of due) timer.run()
    },
  }
}
