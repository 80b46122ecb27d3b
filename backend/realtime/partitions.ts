import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'

/** Well within the three days that are made ahead, so that a failure is made good in time. */
const everyMs = 6 * 60 * 60 * 1000

/** Makes the coming days' partitions of realtime.messages and drops the old ones: now, and a few times a day. */
export function keepPartitions(pool: Pool, log: Log): { close(): void } {
  const turn = (): void => {
    pool.query('select realtime.turn_partitions()').catch((error: Error) => {
      log.warn('realtime partitions not turned', { reason: error.message })
    })
  }
  turn()
  const timer = setInterval(turn, everyMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
