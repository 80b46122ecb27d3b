import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { FrameReader } from '../ipc/FrameReader.ts'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { toServer, toWorker, type WorkerConfig } from '../ipc/frames.ts'
import { Slots } from '../ipc/Slots.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import type { InFlightRequest, WorkerEnd } from './InFlightRequest.ts'
import { Watchdog } from './Watchdog.ts'
import { readOutput } from './readOutput.ts'

/** The worker could not load the function; `message` is for the log. */
class BootError extends Error {
  override name = 'BootError'
}

/**
 * Milliseconds without bytes after which the output of an exited process counts as ended. Another process may hold it
 * open.
 */
const silentMs = 300

/** The output of the engine before it aborts because it is out of memory. */
const outOfMemory = /heap out of memory|FatalProcessOutOfMemory|allocation failed - /i

/** A process that runs one function: its channel, its output and its end. */
export class WorkerProcess {
  readonly writer: FrameWriter
  readonly requests = new Slots<InFlightRequest>()
  readonly watchdog: Watchdog
  /** The number of requests that it has handled or is handling. */
  served = 0
  /** The time of its last request, by `performance.now()`. */
  usedAt = 0
  isReady = false
  isDraining = false
  isEnded = false
  onEnd: (end: WorkerEnd, detail: string) => void = () => {}
  /** Called when its process has exited. */
  onExit: () => void = () => {}
  onOutput: (stream: 'stdout' | 'stderr', line: string) => void = () => {}
  readonly #child: ChildProcess
  readonly #channel: Socket
  #heapIsFull = false
  #booting: { resolve(): void; reject(error: Error): void } | null = null

  constructor(child: ChildProcess, limits: FunctionLimits) {
    this.#child = child
    this.#channel = child.stdio[3] as Socket
    this.writer = new FrameWriter((bytes) => this.#channel.write(bytes))
    this.watchdog = new Watchdog(this, limits)
    const reader = new FrameReader((...frame) => this.#onFrame(...frame))
    this.#channel.on('data', (chunk: Buffer) => {
      if (this.isEnded) return
      try {
        reader.push(chunk)
      } catch (error) {
        // An invalid frame was not sent by the worker's own code.
        this.kill('protocol', (error as Error).message)
      }
    })
    this.#channel.on('error', () => {})
    this.#readOutput(child.stdout!, 'stdout')
    this.#readOutput(child.stderr!, 'stderr')
    child.on('error', (error) => {
      this.#finish('crash', error.message)
      if (child.pid === undefined) this.onExit()
    })
    child.on('exit', (code, signal) => this.#handleExit(code, signal))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Loads a function into the new process. Rejects with BootError if that fails. */
  load(order: WorkerConfig): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isEnded) return reject(new BootError('the process ended before it was used'))
      this.#booting = { resolve, reject }
      this.watchdog.boot()
      this.writer.send(toWorker.load, 0, Buffer.from(JSON.stringify(order)))
    })
  }

  /** Adds a request and returns its ID. */
  addRequest(request: InFlightRequest): number {
    this.served++
    this.usedAt = request.startedAt
    return this.requests.add(request)
  }

  /** Lets it finish requests in progress and exit; kills it after `timeoutMs`. */
  drain(timeoutMs: number): void {
    if (this.isEnded || this.isDraining) return
    this.isDraining = true
    this.writer.send(toWorker.drain, 0)
    const timer = setTimeout(() => this.kill('released', 'did not end in time'), timeoutMs)
    timer.unref()
    this.#child.once('exit', () => clearTimeout(timer))
  }

  /** Kills it at once, with all processes that it started. */
  kill(end: WorkerEnd, detail: string): void {
    if (this.isEnded) return
    this.#killGroup()
    this.#finish(end, detail)
  }

  #killGroup(): void {
    const { pid } = this.#child
    // A process that was not started has no group, and group 0 is the server's own.
    if (pid === undefined || pid <= 1) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The group has no processes left.
    }
  }

  #readOutput(stream: Readable, name: 'stdout' | 'stderr'): void {
    readOutput(stream, (line) => {
      if (name === 'stderr' && outOfMemory.test(line)) this.#heapIsFull = true
      this.onOutput(name, line)
    })
  }

  #handleExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.onExit()
    this.#killGroup()
    const detail = signal === null ? `ended with code ${code}` : `ended by ${signal}`
    const hasAborted = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
    // Its last output may still be unread: a complete response in its channel, or the engine's message, which
    // distinguishes a full heap from other aborts.
    whenReadToEnd(hasAborted ? (this.#child.stderr as Socket) : this.#channel, () => {
      if (this.isDraining && code === 0) return this.#finish('released', detail)
      this.#finish(hasAborted && this.#heapIsFull ? 'memory' : 'crash', detail)
    })
  }

  #finish(end: WorkerEnd, detail: string): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#channel.destroy()
    this.#booting?.reject(new BootError(detail))
    this.#booting = null
    const requests = this.requests.values()
    this.requests.clear()
    this.onEnd(end, detail)
    this.isReady = false
    for (const request of requests) request.onWorkerEnd(end)
  }

  #onFrame(kind: number, id: number, chunk: Buffer, start: number, end: number): void {
    switch (kind) {
      case toServer.response:
        return this.requests.get(id)?.onResponse(chunk, start, end)
      case toServer.chunk:
        return this.requests.get(id)?.onChunk(chunk.subarray(start, end))
      case toServer.chunkEnd:
        return this.requests.get(id)?.onChunksEnd(true)
      case toServer.chunkFailed:
        return this.requests.get(id)?.onChunksEnd(false)
      case toServer.credit:
        return this.requests.get(id)?.onCredit(chunk.readUInt32LE(start))
      case toServer.pong:
        return this.watchdog.onPong(id, chunk.readUInt32LE(start), {
          residentMb: chunk.readUInt32LE(start + 4) / 1_024,
          cpuMs: chunk.readUInt32LE(start + 8),
        })
      case toServer.ready:
        this.isReady = true
        this.#booting?.resolve()
        this.#booting = null
        return
      case toServer.failed: {
        this.#booting?.reject(new BootError(chunk.toString('utf8', start, end)))
        this.#booting = null
        return
      }
      default:
        throw new RangeError(`there is no frame of kind ${kind}`)
    }
  }
}

/** Calls `onEnd` once a stream is closed, or once no bytes have arrived for `silentMs`. */
function whenReadToEnd(stream: Socket, onEnd: () => void): void {
  let bytesRead: number | null = null
  let timer: NodeJS.Timeout | undefined
  // After a timer the event loop reads the arrived bytes and only then calls this. So a loop that was blocked for
  // long has read everything too.
  const checkAfterReading = (): void => {
    setImmediate(() => {
      if (stream.closed || bytesRead === stream.bytesRead) return end()
      bytesRead = stream.bytesRead
      timer = setTimeout(checkAfterReading, silentMs)
    })
  }
  const end = (): void => {
    clearTimeout(timer)
    stream.off('close', end)
    onEnd()
  }
  if (stream.closed) return onEnd()
  stream.once('close', end)
  checkAfterReading()
}
