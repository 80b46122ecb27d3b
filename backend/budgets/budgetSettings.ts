import { ConfigError, type Config } from '../config/loadConfig.ts'

/** What callers share, in all; how much of it one may have follows from `createBudget`. */
export interface BudgetSettings {
  /** Connections of HTTP and WebSockets; fewer where the system allows the process fewer files. */
  maxConnections: number
  /** Of one network address; half of all unless given. */
  maxConnectionsPerAddress: number
  /** Connections that have not sent the head of a request yet. */
  maxSilentConnections: number
  /** Requests in progress, of the services. */
  maxRequests: number
  /** Of one caller; an eighth of all unless given. */
  maxRequestsPerCaller: number
  /** Request bodies, responses and messages that are buffered. */
  maxBufferedBytes: number
  /** A response of the data API. */
  maxResponseBytes: number
  /** Connections of the data API and storage to PostgreSQL. */
  maxDatabaseConnections: number
  /** Requests that wait for one of these. */
  maxDatabaseQueue: number
  /** Processor time of one caller's reading at ordinary priority: so much at once, and so much more each second. */
  readBurstMs: number
  readMsPerSecond: number
  /** From the start of a connection or request until its head is there. */
  headTimeoutMs: number
  /** Within which a body that is buffered, or a response, must make progress. */
  stallTimeoutMs: number
  /** What a buffered body must arrive at on average, once it has taken longer than `stallTimeoutMs`. */
  minBodyBytesPerSecond: number
}

const mebibyte = 1_048_576

/** Reads `[budgets]`, whose keys the official CLI does not know: they belong in linnet.toml. Throws ConfigError. */
export function budgetSettings(config: Pick<Config, 'at' | 'errorAt'>): BudgetSettings {
  const read = (key: string, fallback: number): number => {
    const value = config.at(`budgets.${key}`, fallback)
    if (value > 0) return value
    throw config.errorAt(`budgets.${key}`, `must be a number above 0, not ${value}`)
  }
  const maxConnections = read('max_connections', 20_000)
  const maxRequests = read('max_requests', 2_000)
  return {
    maxConnections,
    maxConnectionsPerAddress: read('max_connections_per_address', Math.ceil(maxConnections / 2)),
    maxSilentConnections: read('max_silent_connections', 1_000),
    maxRequests,
    maxRequestsPerCaller: read('max_requests_per_caller', Math.ceil(maxRequests / 8)),
    maxBufferedBytes: read('max_buffered_mb', 192) * mebibyte,
    maxResponseBytes: read('max_response_mb', 32) * mebibyte,
    maxDatabaseConnections: read('max_database_connections', 16),
    maxDatabaseQueue: read('max_database_queue', 500),
    readBurstMs: read('read_burst_in_ms', 200),
    readMsPerSecond: read('read_ms_per_second', 100),
    headTimeoutMs: read('head_timeout_in_s', 20) * 1_000,
    stallTimeoutMs: read('stall_timeout_in_s', 20) * 1_000,
    minBodyBytesPerSecond: read('min_body_bytes_per_second', 1_024),
  }
}

/** The defaults, for a part that is built without a configuration. */
export const defaultBudgetSettings = budgetSettings({
  at: (_path, fallback) => fallback,
  errorAt: (path, problem) => new ConfigError(`${path} ${problem}`),
})
