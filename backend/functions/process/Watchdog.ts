import { toWorker } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { processUsage, type ProcessUsage } from './processUsage.ts'
import { demote } from './spawnWorker.ts'
import type { FrameWriter } from '../ipc/FrameWriter.ts'
import type { Slots } from '../ipc/Slots.ts'
import type { InFlightRequest, WorkerEnd } from './InFlightRequest.ts'

/** If CPU time can't be read, a worker is unresponsive after this multiple of the CPU limit in wall-clock time. */
const wallPerCpu = 5

/** Milliseconds without a turn of its event loop after which a worker gets no further requests for now. */
const stuckMs = 300

/** What a watchdog uses of its worker. */
interface WatchedWorker {
  readonly pid: number
  readonly requests: Slots<InFlightRequest>
  readonly writer: FrameWriter
  readonly served: number
  readonly isReady: boolean
  readonly isDraining: boolean
  readonly isEnded: boolean
  kill(end: WorkerEnd, detail: string): void
}

/**
 * Watches one worker while it is busy: its event loop, its memory and CPU time, and its duration. Called by
 * `watchWorkers`; it has no timer of its own, so that idle workers cost nothing.
 */
export class Watchdog {
  readonly #worker: WatchedWorker
  readonly #limits: FunctionLimits
  #bootedAt: number | null = null
  /** The ping without a pong so far. */
  #ping: { at: number; cpuMs: number } | null = null
  #pings = 0
  #waiting = 0
  #isIdle = true
  /** The request that was alone since the last check, and its CPU time. */
  #alone: { request: InFlightRequest; served: number; cpuMs: number; measuredMs: number } | null = null
  #reported: ProcessUsage | null = null
  #isDemoted = false

  constructor(worker: WatchedWorker, limits: FunctionLimits) {
    this.#worker = worker
    this.#limits = limits
  }

  boot(): void {
    this.#bootedAt = performance.now()
  }

  /** Whether it has requests or background work, or has not reported yet that it has none. */
  get isBusy(): boolean {
    const { requests, isDraining, isEnded, isReady } = this.#worker
    if (isEnded) return false
    return requests.size > 0 || isDraining || !this.#isIdle || (this.#bootedAt !== null && !isReady)
  }

  get isStuck(): boolean {
    return this.#ping !== null && performance.now() - this.#ping.at > stuckMs
  }

  onPong(id: number, waiting: number, usage: ProcessUsage): void {
    if (id !== this.#pings) return
    this.#ping = null
    this.#waiting = waiting
    this.#reported = usage
    this.#isIdle = this.#waiting === 0 && this.#worker.requests.size === 0
  }

  /** Checks the worker, and ends it if it exceeds a limit. */
  check(now: number): void {
    const worker = this.#worker
    const limits = this.#limits
    if (worker.requests.size > 0) this.#isIdle = false
    if (!worker.isReady && this.#bootedAt !== null && now - this.#bootedAt > limits.bootMs) {
      return worker.kill('time', `nothing has called Deno.serve within ${limits.bootMs} ms`)
    }
    const measured = processUsage(worker.pid)
    const usage = measured ?? this.#reported
    if (usage && usage.residentMb > limits.residentMb) {
      return worker.kill('memory', `used ${Math.round(usage.residentMb)} MiB of memory`)
    }
    if (!worker.isReady) return
    if (this.#isUnresponsive(now, measured) || (usage && this.#isSpinning(usage.cpuMs))) {
      return worker.kill('cpu', `used more than ${limits.cpuMs} ms of CPU time`)
    }
    if (this.#ping) {
      if (this.isStuck && !this.#isDemoted && this.#hasUsedCpu(measured)) {
        this.#isDemoted = true
        demote(worker.pid)
      }
      return
    }
    this.#ping = { at: now, cpuMs: usage?.cpuMs ?? 0 }
    this.#pings = (this.#pings + 1) >>> 0
    worker.writer.send(toWorker.ping, this.#pings)
  }

  /**
   * Whether the worker itself has used the time since the ping. On a busy machine, an event loop also stands still because its
   * process gets no CPU; a lower priority would prolong that.
   */
  #hasUsedCpu(measured: ProcessUsage | null): boolean {
    return !measured || (this.#ping !== null && measured.cpuMs - this.#ping.cpuMs > stuckMs / 2)
  }

  /** Whether its event loop has been blocked for too long. */
  #isUnresponsive(now: number, measured: ProcessUsage | null): boolean {
    if (!this.#ping) return false
    const { cpuMs } = this.#limits
    if (!measured) return now - this.#ping.at > cpuMs * wallPerCpu
    return measured.cpuMs - this.#ping.cpuMs > cpuMs
  }

  /** Whether a request that is alone has used too much CPU time; of several requests it can't be attributed. */
  #isSpinning(cpuMs: number): boolean {
    const { requests, served } = this.#worker
    const [request] = requests.size === 1 ? requests.values() : []
    if (!request) {
      this.#alone = null
      return false
    }
    const before = this.#alone
    const used =
      before?.request === request && before.served === served ? before.cpuMs + cpuMs - before.measuredMs : 0
    this.#alone = { request, served, cpuMs: used, measuredMs: cpuMs }
    return used > this.#limits.cpuMs
  }
}
