import { toWorker } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { processUsage, type ProcessUsage } from './processUsage.ts'
import { demote } from './spawnWorker.ts'
import type { Guest, WorkerProcess } from './WorkerProcess.ts'

/** Where CPU time can't be read from outside, a worker is deaf after so much more wall-clock time than CPU time. */
const wallPerCpu = 5

/** Milliseconds without a turn of its loop after which a worker gets no more requests for now. */
const stuckMs = 300

/**
 * Watches one worker while it has something to do: whether its loop turns, what it takes, and how long. Asked
 * for by `watchWorkers`; no timer of its own, so that idle workers cost nothing.
 */
export class Pulse {
  readonly #worker: WorkerProcess
  readonly #limits: FunctionLimits
  #bootedAt: number | null = null
  /** The ping that waits for its pong. */
  #asked: { at: number; cpuMs: number } | null = null
  #pings = 0
  #waiting = 0
  #isQuiet = true
  /** The one request that was alone here since the last look, and what CPU time it has had. */
  #alone: { guest: Guest; served: number; cpuMs: number; seenMs: number } | null = null
  #told: ProcessUsage | null = null
  #isDemoted = false

  constructor(worker: WorkerProcess, limits: FunctionLimits) {
    this.#worker = worker
    this.#limits = limits
  }

  boot(): void {
    this.#bootedAt = performance.now()
  }

  /** Whether it has something to do, or has not said yet that it has nothing. */
  get isBusy(): boolean {
    const { guests, isDraining, isEnded, isReady } = this.#worker
    if (isEnded) return false
    return guests.size > 0 || isDraining || !this.#isQuiet || (this.#bootedAt !== null && !isReady)
  }

  get isStuck(): boolean {
    return this.#asked !== null && performance.now() - this.#asked.at > stuckMs
  }

  onPong(id: number, waiting: number, usage: ProcessUsage): void {
    if (id !== this.#pings) return
    this.#asked = null
    this.#waiting = waiting
    this.#told = usage
    this.#isQuiet = this.#waiting === 0 && this.#worker.guests.size === 0
  }

  /** One look; ends the worker where it is beyond a limit. */
  look(now: number): void {
    const worker = this.#worker
    const limits = this.#limits
    if (worker.guests.size > 0) this.#isQuiet = false
    if (!worker.isReady && this.#bootedAt !== null && now - this.#bootedAt > limits.bootMs) {
      return worker.kill('time', `nothing has called Deno.serve within ${limits.bootMs} ms`)
    }
    const seen = processUsage(worker.pid)
    const usage = seen ?? this.#told
    if (usage && usage.residentMb > limits.residentMb) {
      return worker.kill('memory', `took ${Math.round(usage.residentMb)} MiB of memory`)
    }
    if (!worker.isReady) return
    if (this.#isDeaf(now, seen) || (usage && this.#isSpinning(usage.cpuMs))) {
      return worker.kill('cpu', `took more than ${limits.cpuMs} ms of CPU time`)
    }
    if (this.#asked) {
      if (this.isStuck && !this.#isDemoted) {
        this.#isDemoted = true
        demote(worker.pid)
      }
      return
    }
    this.#asked = { at: now, cpuMs: usage?.cpuMs ?? 0 }
    this.#pings = (this.#pings + 1) >>> 0
    worker.writer.send(toWorker.ping, this.#pings)
  }

  /** Whether its loop has not turned for too long. */
  #isDeaf(now: number, seen: ProcessUsage | null): boolean {
    if (!this.#asked) return false
    const { cpuMs } = this.#limits
    if (!seen) return now - this.#asked.at > cpuMs * wallPerCpu
    return seen.cpuMs - this.#asked.cpuMs > cpuMs
  }

  /** Whether a single request, alone here, has had too much: what several had together can't be told apart. */
  #isSpinning(cpuMs: number): boolean {
    const { guests, served } = this.#worker
    const [guest] = guests.size === 1 ? guests.values() : []
    if (!guest) {
      this.#alone = null
      return false
    }
    const before = this.#alone
    const had = before?.guest === guest && before.served === served ? before.cpuMs + cpuMs - before.seenMs : 0
    this.#alone = { guest, served, cpuMs: had, seenMs: cpuMs }
    return had > this.#limits.cpuMs
  }
}
