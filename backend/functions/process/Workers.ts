import type { FunctionLimits } from '../functionLimits.ts'
import { OrphanKiller } from './OrphanKiller.ts'
import { spawnWorker } from './spawnWorker.ts'
import { watchWorkers } from './watchWorkers.ts'
import { WorkerProcess } from './WorkerProcess.ts'

/**
 * Starts, watches, counts and ends all worker processes. Once a function was called, a spare process without a function
 * is kept, since starting a process is most of the latency of a first call.
 */
export class Workers {
  readonly #code: () => Promise<string>
  readonly #limits: FunctionLimits
  readonly #orphanKiller = new OrphanKiller()
  readonly #all = new Set<WorkerProcess>()
  readonly #watch: ReturnType<typeof watchWorkers>
  #spare: WorkerProcess | null = null
  #spareTimer: NodeJS.Timeout | null = null
  #isClosed = false
  #onAllEnded: (() => void) | null = null
  /** Number of processes that have loaded a function. */
  taken = 0

  /** @param onCheck called at each check of busy workers; returns whether another check is needed */
  constructor(code: () => Promise<string>, limits: FunctionLimits, onCheck: (now: number) => boolean) {
    this.#code = code
    this.#limits = limits
    this.#watch = watchWorkers(() => this.#all, onCheck)
  }

  /** Number of processes with a function. */
  get size(): number {
    return this.#all.size - (this.#spare ? 1 : 0)
  }

  /**
   * Whether another worker may start. If the maximum is reached, the idle worker that was used least recently is drained.
   */
  canStart(): boolean {
    const { workers } = this.#limits
    const active = [...this.#all].filter((one) => one !== this.#spare && !one.isDraining)
    // Draining workers do not count, up to twice the limit.
    if (this.size >= 2 * workers) return false
    if (active.length < workers) return true
    const [idlest] = active
      .filter(({ isReady, watchdog, requests }) => isReady && requests.size === 0 && !watchdog.isBusy)
      .sort((a, b) => a.usedAt - b.usedAt)
    idlest?.drain(this.#limits.wallMs)
    return idlest !== undefined
  }

  /** Returns a process without a function: the spare one, or a new one. */
  async take(): Promise<WorkerProcess> {
    const code = await this.#code()
    const spare = this.#spare
    this.#spare = null
    const worker = spare && !spare.isEnded ? spare : this.#start(code)
    this.taken++
    return worker
  }

  /** Starts a spare process if there is none. */
  async startSpare(): Promise<void> {
    const code = await this.#code()
    if (this.#isClosed || this.#spare) return
    this.#spare = this.#start(code)
  }

  /** To be called when a worker may have become busy. */
  wake(): void {
    this.#watch.wake()
  }

  /** Drains all workers for up to `timeoutMs`, then kills them. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true
    if (this.#spareTimer) clearTimeout(this.#spareTimer)
    this.#endSpare()
    if (this.#all.size > 0) {
      const ended = new Promise<void>((resolve) => {
        this.#onAllEnded = resolve
      })
      for (const worker of this.#all) {
        // An unresponsive worker would only use up the timeout.
        if (worker.watchdog.isStuck) worker.kill('released', 'did not turn its event loop')
        else worker.drain(timeoutMs)
      }
      await ended
    }
    this.#watch.close()
  }

  #start(code: string): WorkerProcess {
    const worker = new WorkerProcess(spawnWorker(code, this.#limits.heapMb), this.#limits)
    const { pid } = worker
    this.#all.add(worker)
    if (pid > 0) this.#orphanKiller.add(pid)
    worker.onExit = () => {
      this.#all.delete(worker)
      if (this.#spare === worker) this.#spare = null
      if (pid > 0) this.#orphanKiller.remove(pid)
      if (this.size === 0) this.#endSpareLater()
      if (this.#all.size === 0) this.#onAllEnded?.()
    }
    return worker
  }

  /** Ends the spare process after a time without workers. */
  #endSpareLater(): void {
    this.#spareTimer ??= setTimeout(() => {
      this.#spareTimer = null
      if (this.size === 0) this.#endSpare()
    }, this.#limits.idleMs).unref()
  }

  #endSpare(): void {
    const spare = this.#spare
    this.#spare = null
    spare?.kill('released', 'not needed')
  }
}
