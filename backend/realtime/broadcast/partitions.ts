import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'

const lookMs = 1_000
const turnMs = 60_000
const retryMs = 5_000
const today = (): string => new Date().toISOString().slice(0, 10)

/**
 * Keeps the partitions of realtime.messages: makes the coming days' and drops the old ones, every minute, so
 * that one that is missing is back soon, and at once when the day (UTC) is another: a machine that has slept
 * through the days that were made ahead, or whose clock was put right, would else drop every broadcast.
 */
export function keepPartitions(pool: Pool, log: Logger): { close(): void } {
  let lookedOn = ''
  let nextAt = 0
  let turning = false
  const turn = async (): Promise<void> => {
    const day = today()
    if (turning || (lookedOn === day && performance.now() < nextAt)) return
    turning = true
    lookedOn = day
    try {
      await pool.query('select realtime.turn_partitions()')
      nextAt = performance.now() + turnMs
    } catch (error) {
      nextAt = performance.now() + retryMs
      log.warn('realtime partitions not turned', { reason: (error as Error).message })
    } finally {
      turning = false
    }
  }
  void turn()
  const timer = setInterval(() => void turn(), lookMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
