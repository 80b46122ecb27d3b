import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../../logging/logger.ts'
import type { Postgres } from './startPostgres.ts'

export interface SupervisedPostgres {
  /** Returns the running PostgreSQL. After a restart it has another pid. */
  current(): Postgres
  /** Called with the new pid after each restart. */
  onRestarted(listener: (pid: number) => void): void
  stop(): Promise<void>
}

/** The first delay between attempts to start again. Each further delay is twice as long. */
const minBackoffMs = 250
const maxBackoffMs = 10_000

/**
 * Restarts PostgreSQL when it exits unexpectedly (killed, out of memory), on the same data and socket, so that the pools
 * can reconnect.
 */
export async function supervisePostgres(
  start: () => Promise<Postgres>,
  log: Logger,
): Promise<SupervisedPostgres> {
  let postgres = await start()
  const stopping = new AbortController()
  let restartListener: (pid: number) => void = () => {}

  /** Starts PostgreSQL again. Returns null if `stop` was called before a start has succeeded. */
  const restart = async (): Promise<Postgres | null> => {
    for (let backoffMs = minBackoffMs; ; backoffMs = Math.min(maxBackoffMs, backoffMs * 2)) {
      if (stopping.signal.aborted) return null
      try {
        return await start()
      } catch (error) {
        log.error('postgres.start_failed', { reason: (error as Error).message, retryMs: backoffMs })
        await wait(backoffMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const watch = async (): Promise<void> => {
    for (;;) {
      await postgres.exited
      if (stopping.signal.aborted) return
      log.error('postgres.exited')
      const next = await restart()
      if (next === null) return
      postgres = next
      // `stop` ends it.
      if (stopping.signal.aborted) return
      try {
        restartListener(postgres.pid)
      } catch (error) {
        log.error('postgres.restart_listener_failed', { reason: (error as Error).message })
      }
    }
  }
  const watching = watch()

  return {
    current: () => postgres,
    onRestarted(listener) {
      restartListener = listener
    },
    async stop() {
      stopping.abort()
      // Ends the running PostgreSQL, so that `watch` returns; a restart in progress finishes first.
      await postgres.stop()
      await watching
      await postgres.stop()
    },
  }
}
