import type { Progress } from './progress.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the work of a command that a signal interrupts, and ends its progress.
 * @param toError the error with which the work is aborted
 */
export async function runInterruptible<T>(
  progress: Progress,
  toError: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController()
  const onSignal = (): void => interrupted.abort(toError())
  for (const signal of signals) process.once(signal, onSignal)
  try {
    const result = await work(interrupted.signal)
    progress.done()
    return result
  } catch (error) {
    progress.fail()
    throw error
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
