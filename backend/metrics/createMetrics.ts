import type { Budgets } from '../budgets/createBudgets.ts'
import type { RequestAdmissionStats } from '../gateway/admitRequests.ts'
import type { ConnectionStats } from '../gateway/limitConnections.ts'
import type { RequestCount } from '../gateway/createRequestCounts.ts'
import type { CronStats } from '../jobs/cron/Scheduler.ts'
import type { PgNetService } from '../jobs/http/createPgNetService.ts'
import type { FunctionsStats } from '../functions/createFunctionsService.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { RealtimeStats } from '../realtime/createRealtimeService.ts'
import { renderMetrics, type Metric } from './renderMetrics.ts'
import { watchEventLoop } from './watchEventLoop.ts'
import { watchRates } from './watchRates.ts'

export interface MetricsSources {
  requests: () => RequestCount[]
  refused: () => RequestAdmissionStats
  connections: () => ConnectionStats
  budgets: Pick<Budgets, 'bytes' | 'requests'>
  realtime: () => RealtimeStats
  functions: () => FunctionsStats
  net: () => Pick<PgNetService, 'stats' | 'queued'>
  cron: () => CronStats
  /** The pools by the role with which each logs in. */
  pools: ReadonlyMap<string, Pick<Pool, 'stats'>>
  /** The free space of the file system that contains the objects; null if the system does not report it. */
  diskSpace: () => Promise<{ freeBytes: number; reserveBytes: number } | null>
  /** A pool that checks whether PostgreSQL responds. Any pool will do. */
  poolToCheck: Pick<Pool, 'withClient'>
}

export interface Metrics {
  /** Renders all metrics as Prometheus text. It never rejects, and waits for PostgreSQL for at most a second. */
  render(): Promise<string>
  close(): void
}

const databaseTimeoutMs = 1_000

/** Creates the metrics of a running server. They are read from its components on each request. */
export function createMetrics(sources: MetricsSources): Metrics {
  const eventLoop = watchEventLoop()
  const rates = watchRates(() => {
    const { joins, deliveries } = sources.realtime()
    return { joins, deliveries }
  })
  return {
    async render() {
      const up = await isDatabaseUp(sources.poolToCheck)
      return renderMetrics([
        ...requestMetrics(sources.requests()),
        ...budgetMetrics(sources.refused(), sources.budgets),
        ...connectionMetrics(sources.connections()),
        ...realtimeMetrics(sources.realtime(), rates.perSecond()),
        ...(await netMetrics(sources.net(), up)),
        ...cronMetrics(sources.cron()),
        ...functionMetrics(sources.functions()),
        ...databaseMetrics(sources.pools, up),
        ...diskMetrics(await sources.diskSpace()),
        ...processMetrics(eventLoop.delay()),
      ])
    },
    close() {
      eventLoop.close()
      rates.close()
    },
  }
}

async function isDatabaseUp(database: Pick<Pool, 'withClient'>): Promise<boolean> {
  try {
    await database.withClient((client) => client.query('select'), AbortSignal.timeout(databaseTimeoutMs))
    return true
  } catch {
    return false
  }
}

const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
})
const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})

function requestMetrics(counts: RequestCount[]): Metric[] {
  return [
    counter(
      'linnet_http_requests_total',
      'Responses, by service and status class.',
      counts.map(({ service, status, count }) => ({ labels: { service, status }, value: count })),
    ),
  ]
}

function budgetMetrics(
  refused: RequestAdmissionStats,
  { bytes, requests }: MetricsSources['budgets'],
): Metric[] {
  const name = (rest: string): string => `linnet_budget_${rest}`
  return [
    counter(
      name('refusals_total'),
      'Requests refused because their caller exceeded its budget of requests or bytes, and bodies cut off as too slow.',
      Object.entries(refused).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
    gauge(name('requests'), 'Service requests in progress.', requests.stats().used),
    gauge(
      name('buffered_bytes'),
      'Bytes of requests, responses and messages that are buffered.',
      bytes.stats().used,
    ),
    gauge(name('buffered_bytes_max'), 'Maximum of buffered bytes.', bytes.stats().capacity),
  ]
}

function connectionMetrics({ open, max, refused, dropped }: ConnectionStats): Metric[] {
  const name = (rest: string): string => `linnet_http_connections${rest}`
  return [
    gauge(name(''), 'Open connections, of HTTP and WebSockets.', open),
    gauge(name('_max'), 'Maximum of open connections, of all addresses together.', max),
    counter(
      name('_closed_total'),
      'Connections closed because there were too many: at once, or because they had sent no request yet.',
      Object.entries({ refused, silent: dropped }).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
  ]
}

function realtimeMetrics(now: RealtimeStats, rates: { joins: number; deliveries: number }): Metric[] {
  const name = (rest: string): string => `linnet_realtime_${rest}`
  return [
    gauge(name('sockets'), 'Open sockets.', now.sockets),
    gauge(name('topics'), 'Topics with at least one subscriber.', now.topics),
    gauge(name('presences'), 'Tracked presences, counted per device.', now.presences),
    gauge(name('changes_subscriptions'), 'Subscriptions to table changes.', now.subscriptions),
    gauge(name('changes_waiting'), 'Table changes that wait to be sent.', now.changesWaiting),
    counter(name('joins_total'), 'Requests to join a topic.', now.joins),
    gauge(name('joins_per_second'), 'The same, averaged over the last minute.', rates.joins),
    counter(name('deliveries_total'), 'Messages written to a socket.', now.deliveries),
    gauge(name('deliveries_per_second'), 'The same, averaged over the last minute.', rates.deliveries),
    counter(name('dropped_readers_total'), 'Sockets dropped because they did not read.', now.dropped),
    gauge(
      name('log_reading'),
      'Whether the write-ahead log of PostgreSQL is being read (0 or 1).',
      byWalReader(Number(now.replicating), Number(now.changesWal !== null)),
    ),
    gauge(
      name('log_behind_bytes'),
      'Unread bytes of the log at the last check.',
      byWalReader(now.walLagBytes, now.changesWal?.lagBytes),
    ),
    gauge(
      name('log_delay_seconds'),
      'Time between commit and delivery of the last transaction.',
      byWalReader(now.walDelayMs / 1000, (now.changesWal?.delayMs ?? 0) / 1000),
    ),
    counter(
      name('log_gaps_total'),
      'How often a part of the log could not be read.',
      byWalReader(now.walGaps, now.changesWal?.gaps),
    ),
  ]
}

async function netMetrics(net: ReturnType<MetricsSources['net']>, up: boolean): Promise<Metric[]> {
  const { sent, failed, refused, active } = net.stats()
  const queued = up ? await net.queued().catch(() => 0) : 0
  const samples = { sent, failed, refused }
  return [
    counter(
      'linnet_net_requests_total',
      'Requests of pg_net: with a response, without one, and refused because of their destination.',
      Object.entries(samples).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    gauge('linnet_net_active', 'Requests of pg_net in progress.', active),
    gauge('linnet_net_queued', 'Requests of pg_net in the queue, including those in progress.', queued),
  ]
}

function cronMetrics(now: CronStats): Metric[] {
  const name = (rest: string): string => `linnet_cron_${rest}`
  const { succeeded, failed } = now
  return [
    counter(
      name('runs_total'),
      'Finished job runs.',
      Object.entries({ succeeded, failed }).map(([status, value]) => ({ labels: { status }, value })),
    ),
    gauge(name('jobs'), 'Active jobs.', now.jobs),
    gauge(name('running'), 'Runs in progress.', now.running),
    gauge(
      name('waiting'),
      'Jobs that are due and wait for a free slot or for their previous run.',
      now.waiting,
    ),
    gauge(name('delay_seconds'), 'Time between due time and start of the last run.', now.lastDelayMs / 1000),
  ]
}

/**
 * Returns one sample for each log reader: messages, and table changes. Table changes are read only while there are
 * subscriptions.
 */
function byWalReader(messages: number, changes = 0): Metric['samples'] {
  return [
    { labels: { log: 'messages' }, value: messages },
    { labels: { log: 'changes' }, value: changes },
  ]
}

function functionMetrics(now: FunctionsStats): Metric[] {
  const name = (rest: string): string => `linnet_functions_${rest}`
  return [
    counter(name('requests_total'), 'Requests to functions.', now.requests),
    counter(name('cold_starts_total'), 'Workers started for a function.', now.coldStarts),
    counter(name('crashes_total'), 'Workers that crashed.', now.crashes),
    counter(name('kills_total'), 'Workers ended because they exceeded a limit.', now.kills),
    gauge(name('workers'), 'Running workers.', now.workers),
    gauge(name('waiting'), 'Requests that wait for a worker.', now.waiting),
  ]
}

function databaseMetrics(pools: MetricsSources['pools'], up: boolean): Metric[] {
  const stats = Array.from(pools, ([pool, { stats }]) => ({ labels: { pool }, stats: stats() }))
  const each = (value: (of: ReturnType<Pool['stats']>) => number): Metric['samples'] =>
    stats.map(({ labels, stats }) => ({ labels, value: value(stats) }))
  const name = (rest: string): string => `linnet_pool_${rest}`
  return [
    gauge('linnet_database_up', 'Whether PostgreSQL responds within a second (0 or 1).', Number(up)),
    gauge(
      name('connections_max'),
      'Maximum of connections of a pool.',
      each(({ max }) => max),
    ),
    gauge(
      name('connections'),
      'Open connections of a pool.',
      each(({ total }) => total),
    ),
    gauge(
      name('connections_in_use'),
      'Connections in use.',
      each(({ total, idle }) => total - idle),
    ),
    gauge(
      name('waiting'),
      'Callers that wait for a connection.',
      each(({ waiting }) => waiting),
    ),
    counter(
      name('refused_total'),
      'Requests refused because too many waited, of their caller or in total.',
      each(({ refused }) => refused),
    ),
  ]
}

function diskMetrics(space: Awaited<ReturnType<MetricsSources['diskSpace']>>): Metric[] {
  if (space === null) return []
  return [
    gauge('linnet_disk_free_bytes', 'Free bytes on the disk of the data.', space.freeBytes),
    gauge(
      'linnet_disk_reserve_bytes',
      'Bytes that uploads leave free; below that, uploads are refused.',
      space.reserveBytes,
    ),
  ]
}

/**
 * Returns metrics of the process under the names of the official Prometheus client libraries, so that existing
 * dashboards work.
 */
function processMetrics(delay: { p99Ms: number; maxMs: number }): Metric[] {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time, user and system.', (user + system) / 1e6),
    gauge(
      'process_start_time_seconds',
      'Start time, in seconds since 1970.',
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
    gauge('nodejs_heap_size_used_bytes', 'Used heap.', memory.heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', memory.external),
    gauge(
      'nodejs_eventloop_lag_p99_seconds',
      'Delay of timers, 99th percentile of 10 s.',
      delay.p99Ms / 1000,
    ),
    gauge('nodejs_eventloop_lag_max_seconds', 'Delay of timers, maximum of 10 s.', delay.maxMs / 1000),
  ]
}
