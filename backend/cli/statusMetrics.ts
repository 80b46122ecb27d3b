import { renderSize } from './progress.ts'
import type { MetricValues } from './readMetrics.ts'

/** The metrics that `linnet status` prints, with the names in its JSON output. */
export interface StatusMetrics {
  sockets: number
  topics: number
  presences: number
  changesSubscriptions: number
  joinsPerSecond: number
  deliveriesPerSecond: number
  droppedReaders: number
  logBehindBytes: number
  logDelayMs: number
  databaseUp: boolean
  connections: number
  connectionsInUse: number
  waitingForConnection: number
  requests: number
  failedRequests: number
  uptimeSeconds: number
  memoryBytes: number
  eventLoopDelayMs: number
  /** Null if the system does not provide it. */
  diskFreeBytes: number | null
  /** Uploads are refused when less than this is free. */
  diskReserveBytes: number
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** @param now in ms since 1970 */
export function toStatusMetrics(metrics: MetricValues, now: number): StatusMetrics {
  const at = (name: string): number => metrics.get(name) ?? 0
  const realtime = (name: string): number => at(`linnet_realtime_${name}`)
  return {
    sockets: realtime('sockets'),
    topics: realtime('topics'),
    presences: realtime('presences'),
    changesSubscriptions: realtime('changes_subscriptions'),
    joinsPerSecond: rounded(realtime('joins_per_second')),
    deliveriesPerSecond: rounded(realtime('deliveries_per_second')),
    droppedReaders: realtime('dropped_readers_total'),
    logBehindBytes: realtime('log_behind_bytes'),
    logDelayMs: rounded(
      1000 *
        Math.max(realtime('log_delay_seconds{log="messages"}'), realtime('log_delay_seconds{log="changes"}')),
    ),
    databaseUp: at('linnet_database_up') === 1,
    connections: at('linnet_pool_connections'),
    connectionsInUse: at('linnet_pool_connections_in_use'),
    waitingForConnection: at('linnet_pool_waiting'),
    requests: at('linnet_http_requests_total'),
    failedRequests: at('linnet_http_requests_total 5xx'),
    uptimeSeconds: Math.max(0, Math.round(now / 1000 - at('process_start_time_seconds'))),
    memoryBytes: at('process_resident_memory_bytes'),
    eventLoopDelayMs: rounded(at('nodejs_eventloop_lag_p99_seconds') * 1000),
    diskFreeBytes: metrics.get('linnet_disk_free_bytes') ?? null,
    diskReserveBytes: at('linnet_disk_reserve_bytes'),
  }
}

/** The metrics as lines of text. */
export function renderMetricLines(f: StatusMetrics): string[] {
  return [
    `Realtime     ${f.sockets} sockets, ${f.topics} topics, ${f.presences} presences, ` +
      `${f.changesSubscriptions} subscriptions to changes`,
    `             ${f.joinsPerSecond} joins and ${f.deliveriesPerSecond} deliveries per second, ` +
      `${f.droppedReaders} slow readers dropped`,
    `WAL          ${renderSize(f.logBehindBytes)} behind, read ${f.logDelayMs} ms after the commit`,
    `PostgreSQL   ${f.databaseUp ? 'up' : 'down'}; ${f.connectionsInUse} of ${f.connections} ` +
      `connections in use, ${f.waitingForConnection} callers waiting`,
    `Requests     ${f.requests}, ${f.failedRequests} failed (5xx)`,
    `Server       up for ${renderDuration(f.uptimeSeconds)}, ${renderSize(f.memoryBytes)}, ` +
      `timers ${f.eventLoopDelayMs} ms late (p99)`,
    ...(f.diskFreeBytes === null ? [] : [renderDisk(f.diskFreeBytes, f.diskReserveBytes)]),
  ]
}

function renderDisk(free: number, reserve: number): string {
  const state =
    free < reserve
      ? `uploads are refused until ${renderSize(reserve)} are free`
      : `uploads leave ${renderSize(reserve)} free`
  return `Disk         ${renderSize(free)} free; ${state}`
}

/** "3 days", "5 hours", "2 minutes": only the largest unit. */
export function renderDuration(seconds: number): string {
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(seconds / unit))
  if (days! > 1) return `${days} days`
  if (hours! > 1) return `${hours} hours`
  return minutes! > 1 ? `${minutes} minutes` : `${seconds} seconds`
}
