import type { FunctionLimits } from '../functionLimits.ts'
import { OrphanKeeper } from './OrphanKeeper.ts'
import { spawnWorker } from './spawnWorker.ts'
import { watchWorkers } from './watchWorkers.ts'
import { WorkerProcess } from './WorkerProcess.ts'

/**
 * All processes of functions: started, watched, counted, ended. Once a function was called, one process more is
 * kept that has no function yet, since starting one is most of what a first call waits for.
 */
export class Workers {
  readonly #code: () => Promise<string>
  readonly #limits: FunctionLimits
  readonly #keeper = new OrphanKeeper()
  readonly #all = new Set<WorkerProcess>()
  readonly #watch: ReturnType<typeof watchWorkers>
  #spare: WorkerProcess | null = null
  #later: NodeJS.Timeout | null = null
  #isClosed = false
  #lastEnded: (() => void) | null = null
  /** Processes that were given a function. */
  taken = 0

  /** @param onLook called at each look at busy workers; answers whether there has to be another */
  constructor(code: () => Promise<string>, limits: FunctionLimits, onLook: (now: number) => boolean) {
    this.#code = code
    this.#limits = limits
    this.#watch = watchWorkers(() => this.#all, onLook)
  }

  /** Those that have a function, or are about to. */
  get size(): number {
    return this.#all.size - (this.#spare ? 1 : 0)
  }

  /**
   * Whether there may be one more. Where all places are taken, the function that was not called for longest and
   * has nothing to do gives up its own.
   */
  hasRoom(): boolean {
    const { workers } = this.#limits
    const atWork = [...this.#all].filter((one) => one !== this.#spare && !one.isDraining)
    // Those that finish what they have are not held against others, but there is an end to that too.
    if (this.size >= 2 * workers) return false
    if (atWork.length < workers) return true
    const [idlest] = atWork
      .filter(({ isReady, pulse, guests }) => isReady && guests.size === 0 && !pulse.isBusy)
      .sort((a, b) => a.usedAt - b.usedAt)
    idlest?.drain(this.#limits.wallMs)
    return idlest !== undefined
  }

  /** A process without a function: the one that is kept, or a new one. */
  async take(): Promise<WorkerProcess> {
    const code = await this.#code()
    const spare = this.#spare
    this.#spare = null
    const worker = spare && !spare.isEnded ? spare : this.#start(code)
    this.taken++
    return worker
  }

  /** Starts the one that is kept, where there is none. */
  async keepSpare(): Promise<void> {
    const code = await this.#code()
    if (this.#isClosed || this.#spare) return
    this.#spare = this.#start(code)
  }

  /** One may have become busy. */
  wake(): void {
    this.#watch.wake()
  }

  /** Lets all finish for `patience` milliseconds, then ends them. */
  async close(patience: number): Promise<void> {
    this.#isClosed = true
    if (this.#later) clearTimeout(this.#later)
    this.#endSpare()
    if (this.#all.size > 0) {
      const ended = new Promise<void>((resolve) => {
        this.#lastEnded = resolve
      })
      for (const worker of this.#all) {
        // A deaf one would only use up the patience.
        if (worker.pulse.isStuck) worker.kill('let go', 'did not turn its event loop')
        else worker.drain(patience)
      }
      await ended
    }
    this.#watch.close()
  }

  #start(code: string): WorkerProcess {
    const worker = new WorkerProcess(spawnWorker(code, this.#limits.heapMb), this.#limits)
    const { pid } = worker
    this.#all.add(worker)
    if (pid > 0) this.#keeper.add(pid)
    worker.onGone = () => {
      this.#all.delete(worker)
      if (this.#spare === worker) this.#spare = null
      if (pid > 0) this.#keeper.remove(pid)
      if (this.size === 0) this.#endSpareLater()
      if (this.#all.size === 0) this.#lastEnded?.()
    }
    return worker
  }

  /** With nobody at work for long, nobody is expected. */
  #endSpareLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = null
      if (this.size === 0) this.#endSpare()
    }, this.#limits.idleMs).unref()
  }

  #endSpare(): void {
    const spare = this.#spare
    this.#spare = null
    spare?.kill('let go', 'not needed')
  }
}
