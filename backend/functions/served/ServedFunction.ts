import type { WorkerOrder } from '../ipc/frames.ts'
import type { Exchange } from '../http/Exchange.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import type { LoadedFunction } from '../functionSeam.ts'
import type { WorkerEnd, WorkerProcess } from '../process/WorkerProcess.ts'
import type { Workers } from '../process/Workers.ts'
import { refusals } from '../refusals.ts'

/** What becomes of the workers of a function, for its log and the figures. */
export interface WorkerEvents {
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  onBootFailure(reason: string): void
  onWorkerEnd(end: WorkerEnd, detail: string): void
}

/** Milliseconds that a function which keeps breaking waits for its next worker, at most. */
const longestPause = 10_000

const orderOf = ({ name, module, folder, env, staticFiles }: LoadedFunction): WorkerOrder => ({
  name,
  module,
  folder,
  env,
  staticFiles,
})

/** The workers of one function and the requests that wait for one. */
export class ServedFunction {
  readonly #workers: Workers
  readonly #limits: FunctionLimits
  readonly #events: WorkerEvents
  readonly #own = new Set<WorkerProcess>()
  readonly #queue: Exchange[] = []
  #loaded: LoadedFunction | null = null
  #order = ''
  #booting = 0
  /** Workers that broke, or did not start, since one last answered. */
  #failures = 0
  #notBefore = 0
  #pause: NodeJS.Timeout | null = null

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

  /** Serves this version from now on; workers with another finish what they have. */
  become(loaded: LoadedFunction): void {
    const order = JSON.stringify(orderOf(loaded))
    if (this.#order === order) return
    this.#order = order
    this.#loaded = loaded
    this.#failures = 0
    this.#notBefore = 0
    this.letGo()
  }

  /** Lets every worker finish and end. */
  letGo(): void {
    for (const worker of this.#own) this.#drain(worker)
  }

  /** Gives a request to a worker, now or when there is one; answers it where that will not be. */
  dispatch(exchange: Exchange): void {
    const worker = this.#choose()
    if (worker) return this.#enter(worker, exchange)
    if (this.#queue.length >= this.#limits.queued) return exchange.refuse(refusals.overload)
    this.#queue.push(exchange)
    this.#workers.wake()
    this.#grow()
  }

  /** Ends what takes too long; answers whether requests wait for a worker. */
  look(now: number): boolean {
    for (const worker of this.#own) this.#checkTimes(worker, now)
    while (this.#queue[0] && now - this.#queue[0].startedAt > this.#limits.answerMs) {
      this.#queue.shift()!.refuse(refusals.overload)
    }
    this.#pump()
    return this.#queue.length > 0
  }

  #checkTimes(worker: WorkerProcess, now: number): void {
    const { answerMs, wallMs } = this.#limits
    for (const guest of worker.guests.values()) {
      if (now - guest.startedAt < Math.min(answerMs, wallMs)) continue
      // Deaf for so long: nobody in there will be answered, whatever CPU time it was left.
      if (worker.pulse.isStuck) return worker.kill('cpu', 'did not turn its event loop')
      guest.checkTime(now, this.#limits)
    }
  }

  #choose(): WorkerProcess | null {
    let best: WorkerProcess | null = null
    for (const worker of this.#own) {
      if (!worker.isReady || worker.isDraining || worker.guests.size >= this.#limits.atOnce) continue
      if (best && worker.guests.size >= best.guests.size) continue
      if (!worker.pulse.isStuck) best = worker
    }
    return best
  }

  #enter(worker: WorkerProcess, exchange: Exchange): void {
    exchange.onOver = () => {
      this.#failures = worker.isEnded ? this.#failures : 0
      if (this.#queue.length > 0) this.#pump()
    }
    exchange.enter(worker)
    this.#workers.wake()
    if (worker.served >= this.#limits.perWorker) this.#drain(worker)
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      if (this.#queue[0]!.isOver) {
        this.#queue.shift()
        continue
      }
      const worker = this.#choose()
      if (!worker) return this.#grow()
      this.#enter(worker, this.#queue.shift()!)
    }
  }

  /** One worker more, where limits and earlier failures allow it; one at a time. */
  #grow(): void {
    const loaded = this.#loaded
    if (!loaded || this.#booting > 0 || this.#pause) return
    const atWork = [...this.#own].filter(({ isDraining }) => !isDraining).length
    if (atWork >= this.#limits.workersPerFunction) return
    const pause = this.#notBefore - performance.now()
    if (pause > 0) {
      this.#pause = setTimeout(() => {
        this.#pause = null
        this.#pump()
      }, pause)
      return
    }
    if (!this.#workers.hasRoom()) return
    this.#booting++
    void this.#boot(loaded).then(() => {
      this.#booting--
      this.#pump()
      // What stops it will stop the next boot too, which tells it.
      this.#workers.keepSpare().catch(() => {})
    })
  }

  /** Never rejects: nobody waits for it, and a rejection would end the server. */
  async #boot(loaded: LoadedFunction): Promise<void> {
    let worker: WorkerProcess | null = null
    try {
      worker = await this.#workers.take()
      this.#settleIn(worker)
      await worker.load(orderOf(loaded))
      if (this.#loaded !== loaded) this.#drain(worker)
      else this.#endWhenIdle(worker)
    } catch (error) {
      worker?.kill('let go', 'did not start')
      // A newer version may do better.
      if (this.#loaded !== loaded) return
      this.#onBroken()
      this.#events.onBootFailure((error as Error).message)
      for (const exchange of this.#queue.splice(0)) exchange.refuse(refusals.boot)
    }
  }

  #settleIn(worker: WorkerProcess): void {
    this.#own.add(worker)
    worker.onOutput = (stream, line) => this.#events.onOutput(stream, line)
    worker.onEnd = (end, detail) => {
      const wasReady = worker.isReady
      this.#own.delete(worker)
      if (end !== 'let go' && wasReady) this.#onBroken()
      if (wasReady) this.#events.onWorkerEnd(end, detail)
    }
    this.#workers.wake()
  }

  /** The first failure is forgiven, so that one bad request costs nobody else; then pauses double. */
  #onBroken(): void {
    this.#failures++
    if (this.#failures < 2) return
    this.#notBefore = performance.now() + Math.min(longestPause, 100 * 2 ** (this.#failures - 2))
  }

  #drain(worker: WorkerProcess): void {
    this.#workers.wake()
    worker.drain(this.#limits.wallMs)
  }

  #endWhenIdle(worker: WorkerProcess): void {
    let served = -1
    const look = (): void => {
      if (worker.isEnded || worker.isDraining) return
      if (worker.guests.size === 0 && worker.served === served) return this.#drain(worker)
      served = worker.served
      setTimeout(look, this.#limits.idleMs / 2).unref()
    }
    look()
  }
}
