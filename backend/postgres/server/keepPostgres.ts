import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../../logging/logger.ts'
import type { Postgres } from './startPostgres.ts'

export interface KeptPostgres {
  /** The one that runs now; after a restart it has another pid. */
  current(): Postgres
  /** Called with the new pid each time it had to be started again. */
  onRestarted(told: (pid: number) => void): void
  stop(): Promise<void>
}

/** Between attempts to start again, doubling. */
const firstPauseMs = 250
const longestPauseMs = 10_000

/**
 * Keeps PostgreSQL running: when it ends unasked (killed, out of memory) it is started again on the same data
 * and socket, so that the pools, which reconnect by themselves, find it where it was.
 */
export async function keepPostgres(start: () => Promise<Postgres>, log: Logger): Promise<KeptPostgres> {
  let postgres = await start()
  const stopping = new AbortController()
  let told: (pid: number) => void = () => {}

  /** Null where it is to stop before a start has succeeded. */
  const startAgain = async (): Promise<Postgres | null> => {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      if (stopping.signal.aborted) return null
      try {
        return await start()
      } catch (error) {
        log.error('postgres did not start', { reason: (error as Error).message, again_in_ms: pause })
        await wait(pause, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const watch = async (): Promise<void> => {
    for (;;) {
      await postgres.exited
      if (stopping.signal.aborted) return
      log.error('postgres ended unasked and is started again')
      const next = await startAgain()
      if (next === null) return
      postgres = next
      // `stop` ends it.
      if (stopping.signal.aborted) return
      try {
        told(postgres.pid)
      } catch (error) {
        log.error('the restart of postgres could not be reported', { reason: (error as Error).message })
      }
    }
  }
  const watching = watch()

  return {
    current: () => postgres,
    onRestarted(listener) {
      told = listener
    },
    async stop() {
      stopping.abort()
      // Ends the one that runs, so that `watch` returns; a restart under way finishes first.
      await postgres.stop()
      await watching
      await postgres.stop()
    },
  }
}
