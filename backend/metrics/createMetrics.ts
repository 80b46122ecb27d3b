import type { Budgets } from '../budgets/createBudgets.ts'
import type { RequestAdmissionStats } from '../gateway/admitRequests.ts'
import type { ConnectionStats } from '../gateway/watchConnections.ts'
import type { RequestCount } from '../gateway/createRequestCounts.ts'
import type { CronStats } from '../jobs/cron/Scheduler.ts'
import type { NetService } from '../jobs/http/createNetService.ts'
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
  net: () => Pick<NetService, 'stats' | 'queued'>
  cron: () => CronStats
  /** By the role that each logs in as. */
  pools: ReadonlyMap<string, Pick<Pool, 'stats'>>
  /** Of the file system that holds the files; null where the system does not tell. */
  room: () => Promise<{ freeBytes: number; reserveBytes: number } | null>
  /** Any pool: asked whether PostgreSQL answers. */
  database: Pick<Pool, 'withClient'>
}

export interface Metrics {
  /** All figures as Prometheus text. Never rejects, and waits no longer than a second for PostgreSQL. */
  render(): Promise<string>
  close(): void
}

const patienceMs = 1_000

/** The figures of a running server, read from its parts when somebody asks: they count, and know nothing of this. */
export function createMetrics(sources: MetricsSources): Metrics {
  const eventLoop = watchEventLoop()
  const rates = watchRates(() => {
    const { joins, deliveries } = sources.realtime()
    return { joins, deliveries }
  })
  return {
    async render() {
      const up = await answers(sources.database)
      return renderMetrics([
        ...requestMetrics(sources.requests()),
        ...budgetMetrics(sources.refused(), sources.budgets),
        ...connectionMetrics(sources.connections()),
        ...realtimeMetrics(sources.realtime(), rates.perSecond()),
        ...(await netMetrics(sources.net(), up)),
        ...cronMetrics(sources.cron()),
        ...functionMetrics(sources.functions()),
        ...databaseMetrics(sources.pools, up),
        ...diskMetrics(await sources.room()),
        ...processMetrics(eventLoop.delay()),
      ])
    },
    close() {
      eventLoop.close()
      rates.close()
    },
  }
}

async function answers(database: Pick<Pool, 'withClient'>): Promise<boolean> {
  try {
    await database.withClient((client) => client.query('select'), AbortSignal.timeout(patienceMs))
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
      'Requests answered, by service and class of status.',
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
      'Requests refused because their caller had too many, or too many bytes, and bodies cut off as too slow.',
      Object.entries(refused).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
    gauge(name('requests'), 'Requests in progress, of the services.', requests.stats().used),
    gauge(
      name('buffered_bytes'),
      'Bytes of requests, responses and messages that are buffered.',
      bytes.stats().used,
    ),
    gauge(name('buffered_bytes_max'), 'How many may be.', bytes.stats().capacity),
  ]
}

function connectionMetrics({ open, max, refused, dropped }: ConnectionStats): Metric[] {
  const name = (rest: string): string => `linnet_http_connections${rest}`
  return [
    gauge(name(''), 'Connections that are open, of HTTP and WebSockets.', open),
    gauge(name('_max'), 'How many may be, of all addresses together.', max),
    counter(
      name('_closed_total'),
      'Connections closed for their number: at once, or because they had sent no request yet.',
      Object.entries({ refused, silent: dropped }).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
  ]
}

function realtimeMetrics(now: RealtimeStats, rates: { joins: number; deliveries: number }): Metric[] {
  const name = (rest: string): string => `linnet_realtime_${rest}`
  return [
    gauge(name('sockets'), 'Sockets that are open.', now.sockets),
    gauge(name('topics'), 'Topics that somebody listens to.', now.topics),
    gauge(name('presences'), 'Presences shown, each device counted.', now.presences),
    gauge(name('changes_subscriptions'), 'Subscriptions to changes of tables.', now.subscriptions),
    gauge(name('changes_waiting'), 'Changes of tables that wait to be told.', now.changesWaiting),
    counter(name('joins_total'), 'Joins of topics that were asked for.', now.joins),
    gauge(name('joins_per_second'), 'The same, averaged over the last minute.', rates.joins),
    counter(name('deliveries_total'), 'Messages written to a socket.', now.deliveries),
    gauge(name('deliveries_per_second'), 'The same, averaged over the last minute.', rates.deliveries),
    counter(name('dropped_readers_total'), 'Sockets dropped because they did not read.', now.dropped),
    gauge(
      name('log_reading'),
      'Whether the log of PostgreSQL is being read (0 or 1).',
      ofLogs(Number(now.replicating), Number(now.changesLog !== null)),
    ),
    gauge(
      name('log_behind_bytes'),
      'How much of the log waited when last looked.',
      ofLogs(now.logBehindBytes, now.changesLog?.behindBytes),
    ),
    gauge(
      name('log_delay_seconds'),
      'From its commit to its reading, for the last transaction.',
      ofLogs(now.logDelayMs / 1000, (now.changesLog?.delayMs ?? 0) / 1000),
    ),
    counter(
      name('log_gaps_total'),
      'How often a part of the log could not be read.',
      ofLogs(now.logGaps, now.changesLog?.gaps),
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
      'Requests of pg_net: answered, without an answer, refused for where they led.',
      Object.entries(samples).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    gauge('linnet_net_active', 'Requests of pg_net under way.', active),
    gauge('linnet_net_queued', 'Requests of pg_net that wait in the queue, those under way too.', queued),
  ]
}

function cronMetrics(now: CronStats): Metric[] {
  const name = (rest: string): string => `linnet_cron_${rest}`
  const { succeeded, failed } = now
  return [
    counter(
      name('runs_total'),
      'Runs of jobs that have ended.',
      Object.entries({ succeeded, failed }).map(([status, value]) => ({ labels: { status }, value })),
    ),
    gauge(name('jobs'), 'Jobs that are active.', now.jobs),
    gauge(name('running'), 'Runs under way.', now.running),
    gauge(name('waiting'), 'Jobs that are due and wait for room or for their own last run.', now.waiting),
    gauge(
      name('delay_seconds'),
      'From its due time to its beginning, for the last run.',
      now.lastDelayMs / 1000,
    ),
  ]
}

/** Messages and changes of tables are read apart; the latter only while somebody asks for them. */
function ofLogs(messages: number, changes = 0): Metric['samples'] {
  return [
    { labels: { log: 'messages' }, value: messages },
    { labels: { log: 'changes' }, value: changes },
  ]
}

function functionMetrics(now: FunctionsStats): Metric[] {
  const name = (rest: string): string => `linnet_functions_${rest}`
  return [
    counter(name('requests_total'), 'Requests for functions.', now.requests),
    counter(name('cold_starts_total'), 'Workers started for a function.', now.coldStarts),
    counter(name('crashes_total'), 'Workers that broke.', now.crashes),
    counter(name('kills_total'), 'Workers ended because they took too much.', now.kills),
    gauge(name('workers'), 'Workers that run.', now.workers),
    gauge(name('waiting'), 'Requests that wait for a worker.', now.waiting),
  ]
}

function databaseMetrics(pools: MetricsSources['pools'], up: boolean): Metric[] {
  const stats = Array.from(pools, ([pool, { stats }]) => ({ labels: { pool }, stats: stats() }))
  const each = (value: (of: ReturnType<Pool['stats']>) => number): Metric['samples'] =>
    stats.map(({ labels, stats }) => ({ labels, value: value(stats) }))
  const name = (rest: string): string => `linnet_pool_${rest}`
  return [
    gauge('linnet_database_up', 'Whether PostgreSQL answers within a second (0 or 1).', Number(up)),
    gauge(
      name('connections_max'),
      'Connections that a pool may have.',
      each(({ max }) => max),
    ),
    gauge(
      name('connections'),
      'Connections that it has.',
      each(({ total }) => total),
    ),
    gauge(
      name('connections_in_use'),
      'Connections at work.',
      each(({ total, idle }) => total - idle),
    ),
    gauge(
      name('waiting'),
      'Callers that wait for a connection.',
      each(({ waiting }) => waiting),
    ),
    counter(
      name('refused_total'),
      'Requests refused because too many waited, of their caller or of all.',
      each(({ refused }) => refused),
    ),
  ]
}

function diskMetrics(room: Awaited<ReturnType<MetricsSources['room']>>): Metric[] {
  if (room === null) return []
  return [
    gauge('linnet_disk_free_bytes', 'Bytes that the disk of the data has left.', room.freeBytes),
    gauge(
      'linnet_disk_reserve_bytes',
      'Bytes of them that uploads leave free; with less, uploads are refused.',
      room.reserveBytes,
    ),
  ]
}

/** Under the names that Prometheus' own libraries use, so that ready-made pictures of a process fit. */
function processMetrics(delay: { p99Ms: number; maxMs: number }): Metric[] {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time, of user and system.', (user + system) / 1e6),
    gauge(
      'process_start_time_seconds',
      'When it started, in seconds since 1970.',
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
    gauge('process_resident_memory_bytes', 'Memory that is resident.', memory.rss),
    gauge('nodejs_heap_size_used_bytes', 'Heap that is used.', memory.heapUsed),
    gauge('nodejs_external_memory_bytes', 'Buffers beside the heap.', memory.external),
    gauge(
      'nodejs_eventloop_lag_p99_seconds',
      'How late timers come, 99th percentile of 10 s.',
      delay.p99Ms / 1000,
    ),
    gauge('nodejs_eventloop_lag_max_seconds', 'The same, at most.', delay.maxMs / 1000),
  ]
}
