/** Runs at most `max` tasks at a time; the others wait in order. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running === max) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
