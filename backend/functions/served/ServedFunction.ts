import type { WorkerConfig } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import type { LoadedFunction } from '../functionTypes.ts'
import type { WorkerProcess } from '../process/WorkerProcess.ts'
import type { WorkerEnd } from '../process/InFlightRequest.ts'
import type { Workers } from '../process/Workers.ts'
import type { DispatchedRequest } from './DispatchedRequest.ts'
import { errorResponses } from '../errorResponses.ts'

/** Events of the workers of a function, for its log and metrics. */
export interface WorkerEvents {
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  onBootFailure(reason: string): void
  onWorkerEnd(end: WorkerEnd, detail: string): void
}

/** Maximum delay before the next worker of a function that keeps failing. */
const maxRestartDelayMs = 10_000

const configOf = ({ name, module, folder, env, staticFiles }: LoadedFunction): WorkerConfig => ({
  name,
  module,
  folder,
  env,
  staticFiles,
})

/** The workers of one function and its queued requests. */
export class ServedFunction {
  readonly #workers: Workers
  readonly #limits: FunctionLimits
  readonly #events: WorkerEvents
  readonly #own = new Set<WorkerProcess>()
  readonly #queue: DispatchedRequest[] = []
  #loaded: LoadedFunction | null = null
  #config = ''
  #booting = 0
  /** Workers that crashed or failed to start since the last response. */
  #failures = 0
  #notBefore = 0
  #delayTimer: NodeJS.Timeout | null = null

  constructor(workers: Workers, limits: FunctionLimits, events: WorkerEvents) {
    this.#workers = workers
    this.#limits = limits
    this.#events = events
  }

  get workers(): number {
    return this.#own.size
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Serves this version from now on; workers of another version are drained. */
  setVersion(loaded: LoadedFunction): void {
    const config = JSON.stringify(configOf(loaded))
    if (this.#config === config) return
    this.#config = config
    this.#loaded = loaded
    this.#failures = 0
    this.#notBefore = 0
    this.drainAll()
  }

  /** Drains all workers. */
  drainAll(): void {
    for (const worker of this.#own) this.#drain(worker)
  }

  /** Forwards a request to a worker, now or when one is available; sends an error if the queue is full. */
  dispatch(request: DispatchedRequest): void {
    const worker = this.#choose()
    if (worker) return this.#startRequest(worker, request)
    if (this.#queue.length >= this.#limits.queued) return request.fail(errorResponses.overload)
    this.#queue.push(request)
    this.#workers.wake()
    this.#startWorker()
  }

  /** Ends requests that exceed a time limit; returns whether requests are queued. */
  check(now: number): boolean {
    for (const worker of this.#own) this.#checkTimes(worker, now)
    while (this.#queue[0] && now - this.#queue[0].startedAt > this.#limits.responseMs) {
      this.#queue.shift()!.fail(errorResponses.overload)
    }
    this.#startQueued()
    return this.#queue.length > 0
  }

  #checkTimes(worker: WorkerProcess, now: number): void {
    const { responseMs, wallMs } = this.#limits
    for (const request of worker.requests.values()) {
      if (now - request.startedAt < Math.min(responseMs, wallMs)) continue
      // Unresponsive for so long that no request in it will get a response, whatever CPU time is left.
      if (worker.watchdog.isStuck) return worker.kill('cpu', 'did not turn its event loop')
      request.checkTime(now, this.#limits)
    }
  }

  #choose(): WorkerProcess | null {
    let best: WorkerProcess | null = null
    for (const worker of this.#own) {
      if (!worker.isReady || worker.isDraining || worker.requests.size >= this.#limits.requestsPerWorker)
        continue
      if (best && worker.requests.size >= best.requests.size) continue
      if (!worker.watchdog.isStuck) best = worker
    }
    return best
  }

  #startRequest(worker: WorkerProcess, request: DispatchedRequest): void {
    request.onEnd = () => {
      this.#failures = worker.isEnded ? this.#failures : 0
      if (this.#queue.length > 0) this.#startQueued()
    }
    request.start(worker)
    this.#workers.wake()
    if (worker.served >= this.#limits.maxServed) this.#drain(worker)
  }

  #startQueued(): void {
    while (this.#queue.length > 0) {
      if (this.#queue[0]!.isEnded) {
        this.#queue.shift()
        continue
      }
      const worker = this.#choose()
      if (!worker) return this.#startWorker()
      this.#startRequest(worker, this.#queue.shift()!)
    }
  }

  /** Starts another worker if limits and earlier failures permit it; one at a time. */
  #startWorker(): void {
    const loaded = this.#loaded
    if (!loaded || this.#booting > 0 || this.#delayTimer) return
    const active = [...this.#own].filter(({ isDraining }) => !isDraining).length
    if (active >= this.#limits.workersPerFunction) return
    const delayMs = this.#notBefore - performance.now()
    if (delayMs > 0) {
      this.#delayTimer = setTimeout(() => {
        this.#delayTimer = null
        this.#startQueued()
      }, delayMs)
      return
    }
    if (!this.#workers.canStart()) return
    this.#booting++
    void this.#boot(loaded).then(() => {
      this.#booting--
      this.#startQueued()
      // The same error will occur in the next boot, which reports it.
      this.#workers.startSpare().catch(() => {})
    })
  }

  /** Never rejects: it is not awaited, and a rejection would end the server. */
  async #boot(loaded: LoadedFunction): Promise<void> {
    let worker: WorkerProcess | null = null
    try {
      worker = await this.#workers.take()
      this.#attach(worker)
      await worker.load(configOf(loaded))
      if (this.#loaded !== loaded) this.#drain(worker)
      else this.#endWhenIdle(worker)
    } catch (error) {
      worker?.kill('released', 'did not start')
      // A newer version may succeed.
      if (this.#loaded !== loaded) return
      this.#onFailure()
      this.#events.onBootFailure((error as Error).message)
      for (const request of this.#queue.splice(0)) request.fail(errorResponses.boot)
    }
  }

  #attach(worker: WorkerProcess): void {
    this.#own.add(worker)
    worker.onOutput = (stream, line) => this.#events.onOutput(stream, line)
    worker.onEnd = (end, detail) => {
      const wasReady = worker.isReady
      this.#own.delete(worker)
      if (end !== 'released' && wasReady) this.#onFailure()
      if (wasReady) this.#events.onWorkerEnd(end, detail)
    }
    this.#workers.wake()
  }

  /** The first failure causes no delay, so that one bad request does not affect others; then delays double. */
  #onFailure(): void {
    this.#failures++
    if (this.#failures < 2) return
    this.#notBefore = performance.now() + Math.min(maxRestartDelayMs, 100 * 2 ** (this.#failures - 2))
  }

  #drain(worker: WorkerProcess): void {
    this.#workers.wake()
    worker.drain(this.#limits.wallMs)
  }

  #endWhenIdle(worker: WorkerProcess): void {
    let served = -1
    const check = (): void => {
      if (worker.isEnded || worker.isDraining) return
      if (worker.requests.size === 0 && worker.served === served) return this.#drain(worker)
      served = worker.served
      setTimeout(check, this.#limits.idleMs / 2).unref()
    }
    check()
  }
}
