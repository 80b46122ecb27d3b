import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'

const checkMs = 60_000
const today = (): string => new Date().toISOString().slice(0, 10)

/**
 * Makes the coming days' partitions of realtime.messages and drops the old ones: now, and whenever the day
 * (UTC) is another. The day is looked at each minute rather than waited for: a machine that has slept through
 * the days that were made ahead would else drop every broadcast until its timer comes round.
 */
export function keepPartitions(pool: Pool, log: Log): { close(): void } {
  let turnedOn = ''
  let turning = false
  const turn = async (): Promise<void> => {
    const day = today()
    if (turning || turnedOn === day) return
    turning = true
    try {
      await pool.query('select realtime.turn_partitions()')
      turnedOn = day
    } catch (error) {
      log.warn('realtime partitions not turned', { reason: (error as Error).message })
    } finally {
      turning = false
    }
  }
  void turn()
  const timer = setInterval(() => void turn(), checkMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
