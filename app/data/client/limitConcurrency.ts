/** Limits a function to `max` parallel calls; others wait in order. */
export function limitConcurrency<A, R>(
  run: (argument: A) => Promise<R>,
  max: number,
): (argument: A) => Promise<R> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (argument) => {
    if (running >= max) await new Promise<void>((start) => waiting.push(start))
    else running += 1
    try {
      return await run(argument)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
