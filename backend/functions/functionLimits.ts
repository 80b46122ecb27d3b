import type { Config } from '../config/loadConfig.ts'

/** What a function may take. Times in milliseconds, memory in MiB, sizes in bytes. */
export interface FunctionLimits {
  /** Heap of JavaScript: beyond it the engine ends the process. */
  heapMb: number
  /** Resident memory of the process, Buffers included: beyond it we do. */
  residentMb: number
  /** CPU time without a turn of the event loop, or spent while one request was alone in its worker. */
  cpuMs: number
  /** From the start of a load until there is a handler. */
  bootMs: number
  /** Until an answer begins. */
  answerMs: number
  /** Until an answer ends, and what `waitUntil` keeps. */
  wallMs: number
  /** A worker without requests ends after this time. */
  idleMs: number
  /** Requests at once in one worker. */
  atOnce: number
  /** Requests that one worker answers before it ends: 1 under the policy `oneshot`. */
  perWorker: number
  workersPerFunction: number
  /** Workers of all functions. */
  workers: number
  /** Requests that wait for a worker, of one function. */
  queued: number
  requestBytes: number
}

/**
 * The limits of hosted (256 MiB, 2 s of CPU, an answer within 150 s, 400 s in all), the rest sized for a small
 * machine. `[edge_runtime]` in config.toml may set `policy` as upstream, and, of our own, `memory_limit_mb`,
 * `cpu_limit_ms`, `boot_timeout_ms`, `request_idle_timeout_ms`, `worker_timeout_ms`, `worker_idle_ms`, `max_workers`,
 * `max_requests_per_worker` and `max_body_bytes`.
 */
export function functionLimits(config: Config): FunctionLimits {
  const setting = (key: string, otherwise: number): number => {
    const value = config.at(`edge_runtime.${key}`, otherwise)
    return value > 0 ? value : otherwise
  }
  const heapMb = setting('memory_limit_mb', 256)
  return {
    heapMb,
    // An idle process has some 50 MiB, and the young generation comes on top of the old.
    residentMb: heapMb + 128,
    cpuMs: setting('cpu_limit_ms', 2_000),
    bootMs: setting('boot_timeout_ms', 10_000),
    answerMs: setting('request_idle_timeout_ms', 150_000),
    wallMs: setting('worker_timeout_ms', 400_000),
    idleMs: setting('worker_idle_ms', 60_000),
    atOnce: setting('max_requests_per_worker', 100),
    perWorker: config.at<string>('edge_runtime.policy', 'per_worker') === 'oneshot' ? 1 : Infinity,
    workersPerFunction: 3,
    workers: setting('max_workers', 8),
    queued: 200,
    requestBytes: setting('max_body_bytes', 100 * 1_048_576),
  }
}
