import type { Log } from '../../log/log.ts'
import type { Postgres } from './startPostgres.ts'

export interface KeptPostgres {
  /** The one that runs now; after a restart it has another pid. */
  current(): Postgres
  /** Called with the new pid each time it had to be started again. */
  onRestarted(told: (pid: number) => void): void
  stop(): Promise<void>
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** Between attempts to start again, doubling. */
const firstPauseMs = 250
const longestPauseMs = 10_000

/**
 * Keeps PostgreSQL running: when it ends unasked (killed, out of memory) it is started again on the same data
 * and socket, so that the pools, which reconnect by themselves, find it where it was.
 */
export async function keepPostgres(start: () => Promise<Postgres>, log: Log): Promise<KeptPostgres> {
  let postgres = await start()
  const stopping = new AbortController()
  let told: (pid: number) => void = () => {}

  const startAgain = async (): Promise<void> => {
    for (let wait = firstPauseMs; ; wait = Math.min(longestPauseMs, wait * 2)) {
      if (stopping.signal.aborted) return
      try {
        postgres = await start()
        // Asked to stop while it came up: it must not outlive us.
        if (stopping.signal.aborted) await postgres.stop()
        told(postgres.pid)
        return
      } catch (error) {
        log.error('postgres did not start', { reason: (error as Error).message, again_in_ms: wait })
        await pause(wait)
      }
    }
  }

  const watch = async (): Promise<void> => {
    for (;;) {
      await postgres.exited
      if (stopping.signal.aborted) return
      log.error('postgres ended unasked and is started again')
      await startAgain()
    }
  }
  void watch()

  return {
    current: () => postgres,
    onRestarted(listener) {
      told = listener
    },
    async stop() {
      stopping.abort()
      await postgres.stop()
    },
  }
}
