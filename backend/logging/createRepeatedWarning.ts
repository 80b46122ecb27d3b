import type { LogEvent, Logger } from './logger.ts'

const intervalMs = 60_000

/**
 * Logs an event that may occur very often: the first occurrence at once, then one line a minute while it recurs. Each
 * line has the number of occurrences since the previous one as `count`, and the fields of the last of them.
 */
export function createRepeatedWarning(
  log: Pick<Logger, 'warn'>,
  event: LogEvent,
): (count: number, fields: Record<string, unknown>) => void {
  let total = 0
  let latest: Record<string, unknown> = {}
  let timer: NodeJS.Timeout | null = null

  const write = (): void => {
    timer = null
    if (total === 0) return
    log.warn(event, { count: total, ...latest })
    total = 0
    timer = setTimeout(write, intervalMs).unref()
  }

  return (count, fields) => {
    total += count
    latest = fields
    if (!timer) write()
  }
}
