import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'

const checkIntervalMs = 1_000
const maintenanceIntervalMs = 60_000
const retryDelayMs = 5_000
const today = (): string => new Date().toISOString().slice(0, 10)

/**
 * Maintains the partitions of realtime.messages: creates those of the next days and drops old ones, every minute, so
 * that a missing one is created soon, and at once when the day (UTC) changes: a machine that was suspended for longer
 * than the days created ahead, or whose clock was corrected, would otherwise drop every broadcast.
 */
export function maintainPartitions(pool: Pool, log: Logger): { close(): void } {
  let lastDay = ''
  let nextAt = 0
  let isRunning = false
  const maintain = async (): Promise<void> => {
    const day = today()
    if (isRunning || (lastDay === day && performance.now() < nextAt)) return
    isRunning = true
    lastDay = day
    try {
      await pool.query('select realtime.maintain_partitions()')
      nextAt = performance.now() + maintenanceIntervalMs
    } catch (error) {
      nextAt = performance.now() + retryDelayMs
      log.warn('realtime.partition_maintenance_failed', { reason: (error as Error).message })
    } finally {
      isRunning = false
    }
  }
  void maintain()
  const timer = setInterval(() => void maintain(), checkIntervalMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
