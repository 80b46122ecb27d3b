/** Runs work at most `most` at once; the rest waits for its turn, in order. */
export function createTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running === most) {
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
