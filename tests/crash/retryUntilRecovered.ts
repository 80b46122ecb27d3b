import { setTimeout as delay } from 'node:timers/promises'

/** Milliseconds after which a killed server, or one that does not respond, counts as never recovering. */
const recoveryTimeoutMs = 120_000
/** Milliseconds between two attempts: a server that is starting must not be slowed down by them. */
const retryIntervalMs = 20

/**
 * Runs `attempt` until its result is not null: where the database was killed, the server restarts it by itself, and a
 * dead connection may be taken from the pool even after the first that works.
 * @param subject in the error of a server that does not recover in time, or whose response never arrives
 */
export async function retryUntilRecovered<T>(
  subject: string,
  attempt: () => Promise<T | null>,
  timeoutMs = recoveryTimeoutMs,
): Promise<T> {
  const ended = new AbortController()
  const timeout = delay(timeoutMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`The server has not recovered within ${timeoutMs / 1000} s: ${subject}.`)
  })
  const retry = async (): Promise<T> => {
    while (!ended.signal.aborted) {
      const result = await attempt()
      if (result !== null) return result
      await delay(retryIntervalMs, undefined, { signal: ended.signal })
    }
    throw ended.signal.reason
  }
  const retrying = retry()
  try {
    return await Promise.race([retrying, timeout])
  } finally {
    ended.abort()
    for (const promise of [retrying, timeout]) promise.catch(() => {})
  }
}
