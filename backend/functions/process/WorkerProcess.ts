import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { FrameReader } from '../ipc/FrameReader.ts'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { toHouse, toWorker, type WorkerOrder } from '../ipc/frames.ts'
import { Slots } from '../ipc/Slots.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { Pulse } from './Pulse.ts'
import { readOutput } from './readOutput.ts'

/** Why a worker is no more: it broke, we ended it for what it took or sent, or it was let go. */
export type WorkerEnd = 'crash' | 'memory' | 'cpu' | 'time' | 'protocol' | 'let go'

/** One request in a worker, as its process concerns it. */
export interface Guest {
  /** Milliseconds of `performance.now()` at which it came in. */
  readonly startedAt: number
  /** Ends what takes too long. */
  checkTime(now: number, limits: FunctionLimits): void
  onAnswer(chunk: Buffer, start: number, end: number): void
  onPiece(bytes: Buffer): void
  onPiecesEnd(isWhole: boolean): void
  onCredit(bytes: number): void
  onWorkerEnd(end: WorkerEnd): void
}

/** The worker could not be made ready; `message` is for the log. */
class BootError extends Error {
  override name = 'BootError'
}

/** Milliseconds for which what an ended process wrote last is awaited. */
const patienceMs = 300

/** What the engine says before it aborts because memory has run out. */
const outOfMemory = /heap out of memory|FatalProcessOutOfMemory|allocation failed - /i

/** A process for one function: its channel, its output, its end. */
export class WorkerProcess {
  readonly writer: FrameWriter
  readonly guests = new Slots<Guest>()
  readonly pulse: Pulse
  /** Requests that it was given. */
  served = 0
  /** Milliseconds of `performance.now()` at which it was last given one. */
  usedAt = 0
  isReady = false
  isDraining = false
  isEnded = false
  onEnd: (end: WorkerEnd, detail: string) => void = () => {}
  /** Called when its process is gone, for whoever counts them. */
  onGone: () => void = () => {}
  onOutput: (stream: 'stdout' | 'stderr', line: string) => void = () => {}
  readonly #child: ChildProcess
  readonly #channel: Socket
  #heapIsFull = false
  #booting: { resolve(): void; reject(error: Error): void } | null = null

  constructor(child: ChildProcess, limits: FunctionLimits) {
    this.#child = child
    this.#channel = child.stdio[3] as Socket
    this.writer = new FrameWriter((bytes) => this.#channel.write(bytes))
    this.pulse = new Pulse(this, limits)
    const reader = new FrameReader((...frame) => this.#onFrame(...frame))
    this.#channel.on('data', (chunk: Buffer) => {
      if (this.isEnded) return
      try {
        reader.push(chunk)
      } catch (error) {
        // A frame that is none: whoever sent it is not our code any more.
        this.kill('protocol', (error as Error).message)
      }
    })
    this.#channel.on('error', () => {})
    this.#hear(child.stdout!, 'stdout')
    this.#hear(child.stderr!, 'stderr')
    child.on('error', (error) => {
      this.#finish('crash', error.message)
      if (child.pid === undefined) this.onGone()
    })
    child.on('exit', (code, signal) => this.#onExit(code, signal))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Loads a function into the fresh process. Rejects with BootError where it can't be had. */
  load(order: WorkerOrder): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isEnded) return reject(new BootError('the process ended before it was used'))
      this.#booting = { resolve, reject }
      this.pulse.boot()
      this.writer.send(toWorker.load, 0, Buffer.from(JSON.stringify(order)))
    })
  }

  /** Answers the id by which the request is known here. */
  admit(guest: Guest): number {
    this.served++
    this.usedAt = guest.startedAt
    return this.guests.add(guest)
  }

  /** Lets it finish what is under way and end; `kill` it where that takes too long. */
  drain(patience: number): void {
    if (this.isEnded || this.isDraining) return
    this.isDraining = true
    this.writer.send(toWorker.drain, 0)
    const timer = setTimeout(() => this.kill('let go', 'did not end when asked to'), patience)
    timer.unref()
    this.#child.once('exit', () => clearTimeout(timer))
  }

  /** Ends it at once, with all processes that it started. */
  kill(end: WorkerEnd, detail: string): void {
    if (this.isEnded) return
    this.#endGroup()
    this.#finish(end, detail)
  }

  #endGroup(): void {
    const { pid } = this.#child
    // A process that never was has no group, and "group 0" would be our own.
    if (pid === undefined || pid <= 1) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Nobody is left in it.
    }
  }

  #hear(stream: Readable, name: 'stdout' | 'stderr'): void {
    readOutput(stream, (line) => {
      if (name === 'stderr' && outOfMemory.test(line)) this.#heapIsFull = true
      this.onOutput(name, line)
    })
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.onGone()
    this.#endGroup()
    const detail = signal === null ? `ended with code ${code}` : `ended by ${signal}`
    const hasAborted = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
    const finish = (): void => {
      clearTimeout(timer)
      if (this.isDraining && code === 0) return this.#finish('let go', detail)
      this.#finish(hasAborted && this.#heapIsFull ? 'memory' : 'crash', detail)
    }
    // What it wrote last may still be unread: a whole answer in its channel, or the engine's last words, which tell a full
    // heap from any other abort.
    const timer = setTimeout(finish, patienceMs)
    const last = hasAborted ? this.#child.stderr! : this.#channel
    if (last.closed) finish()
    else last.once('close', finish)
  }

  #finish(end: WorkerEnd, detail: string): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#channel.destroy()
    this.#booting?.reject(new BootError(detail))
    this.#booting = null
    const guests = this.guests.values()
    this.guests.clear()
    this.onEnd(end, detail)
    this.isReady = false
    for (const guest of guests) guest.onWorkerEnd(end)
  }

  #onFrame(kind: number, id: number, chunk: Buffer, start: number, end: number): void {
    switch (kind) {
      case toHouse.answer:
        return this.guests.get(id)?.onAnswer(chunk, start, end)
      case toHouse.chunk:
        return this.guests.get(id)?.onPiece(chunk.subarray(start, end))
      case toHouse.chunkEnd:
        return this.guests.get(id)?.onPiecesEnd(true)
      case toHouse.chunkFailed:
        return this.guests.get(id)?.onPiecesEnd(false)
      case toHouse.credit:
        return this.guests.get(id)?.onCredit(chunk.readUInt32LE(start))
      case toHouse.pong:
        return this.pulse.onPong(id, chunk.readUInt32LE(start), {
          residentMb: chunk.readUInt32LE(start + 4) / 1_024,
          cpuMs: chunk.readUInt32LE(start + 8),
        })
      case toHouse.ready:
        this.isReady = true
        this.#booting?.resolve()
        this.#booting = null
        return
      case toHouse.failed: {
        this.#booting?.reject(new BootError(chunk.toString('utf8', start, end)))
        this.#booting = null
        return
      }
      default:
        throw new RangeError(`there is no frame of kind ${kind}`)
    }
  }
}
