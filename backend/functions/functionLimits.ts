import type { Config } from '../config/loadConfig.ts'

/** Limits of a function. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface FunctionLimits {
  /** JavaScript heap: the engine aborts the process above it. */
  heapMb: number
  /** Resident memory of the process, including Buffers: the server ends it above this. */
  residentMb: number
  /** CPU time without a turn of the event loop, or used by a request that is alone in its worker. */
  cpuMs: number
  /** From the start of loading until there is a handler. */
  bootMs: number
  /** Until a response starts. */
  responseMs: number
  /** Until a response and the promises of `waitUntil` end. */
  wallMs: number
  /** A worker without requests ends after this time. */
  idleMs: number
  /** Concurrent requests in one worker. */
  requestsPerWorker: number
  /** Requests that one worker handles before it ends: 1 with the policy `oneshot`. */
  maxServed: number
  workersPerFunction: number
  /** Workers of all functions. */
  workers: number
  /** Requests that wait for a worker, of one function. */
  queued: number
  requestBytes: number
}

/**
 * The limits of the hosted service (256 MiB, 2 s of CPU, a response within 150 s, 400 s in total), the others for a small
 * machine. `[edge_runtime]` in config.toml may set `policy` as for Supabase, and, specific to Linnet, `memory_limit_mb`,
 * `cpu_limit_ms`, `boot_timeout_ms`, `request_idle_timeout_ms`, `worker_timeout_ms`, `worker_idle_ms`, `max_workers`,
 * `max_requests_per_worker` and `max_body_bytes`.
 */
export function functionLimits(config: Config): FunctionLimits {
  const setting = (key: string, fallback: number): number => {
    const value = config.at(`edge_runtime.${key}`, fallback)
    return value > 0 ? value : fallback
  }
  const heapMb = setting('memory_limit_mb', 256)
  return {
    heapMb,
    // An idle process has about 50 MiB, and the limit of the heap excludes its young generation.
    residentMb: heapMb + 128,
    cpuMs: setting('cpu_limit_ms', 2_000),
    bootMs: setting('boot_timeout_ms', 10_000),
    responseMs: setting('request_idle_timeout_ms', 150_000),
    wallMs: setting('worker_timeout_ms', 400_000),
    idleMs: setting('worker_idle_ms', 60_000),
    requestsPerWorker: setting('max_requests_per_worker', 100),
    maxServed: config.at<string>('edge_runtime.policy', 'per_worker') === 'oneshot' ? 1 : Infinity,
    workersPerFunction: 3,
    workers: setting('max_workers', 8),
    queued: 200,
    requestBytes: setting('max_body_bytes', 100 * 1_048_576),
  }
}
