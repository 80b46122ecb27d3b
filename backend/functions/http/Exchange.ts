import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyKind, bodyWindow, toWorker } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import type { WorkerProcess } from '../process/WorkerProcess.ts'
import type { WorkerEnd } from '../process/InFlightRequest.ts'
import type { DispatchedRequest } from '../served/DispatchedRequest.ts'
import {
  errorResponses,
  responseOfWorkerEnd,
  sendError,
  timedOut,
  type ErrorResponse,
} from '../errorResponses.ts'
import { ResponseWriter } from './ResponseWriter.ts'
import { RequestReader } from './RequestReader.ts'

/** One request of a client and its response. It connects the client's connection with a worker. */
export class Exchange implements DispatchedRequest {
  startedAt = performance.now()
  onEnd: () => void = () => {}
  isEnded = false
  readonly #outgoing: ServerResponse
  readonly #reader: RequestReader
  readonly #response: ResponseWriter
  readonly #head: string
  #worker: WorkerProcess | null = null
  #id = 0

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, head: string, limits: FunctionLimits) {
    this.#outgoing = outgoing
    this.#head = head
    this.#reader = new RequestReader(incoming, limits.requestBytes)
    this.#response = new ResponseWriter(outgoing, incoming.method === 'HEAD')
    outgoing.once('close', () => this.#onClose())
  }

  /** Calls `ready` once enough of the request has arrived to forward it. Sends an error if it is too large. */
  whenReady(ready: () => void): void {
    this.#reader.whenReady(ready, () => this.fail(errorResponses.tooLarge))
  }

  start(worker: WorkerProcess): void {
    const reader = this.#reader
    this.startedAt = performance.now()
    this.#worker = worker
    this.#id = worker.addRequest(this)
    const { writer } = worker
    writer.sendMessage(toWorker.request, this.#id, reader.kind, null, this.#head, reader.whole)
    if (reader.kind !== bodyKind.streamed) return
    reader.stream(
      bodyWindow,
      (piece) => writer.send(toWorker.body, this.#id, piece),
      () => writer.send(toWorker.bodyEnd, this.#id),
      () => this.abort(errorResponses.tooLarge),
    )
  }

  /** Sends the error. A response that has started is cut off. */
  fail(refusal: ErrorResponse): void {
    if (this.isEnded) return
    if (this.#outgoing.headersSent) this.#outgoing.destroy()
    else sendError(this.#outgoing, refusal)
    this.#end()
  }

  checkTime(now: number, limits: FunctionLimits): void {
    const age = now - this.startedAt
    if (age > limits.wallMs) this.abort(errorResponses.limit)
    else if (age > limits.responseMs && !this.#outgoing.headersSent) this.abort(timedOut(limits.responseMs))
  }

  onResponse(chunk: Buffer, start: number, end: number): void {
    const { writer } = this.#worker!
    const credit = (bytes: number): void => writer.sendNumbers(toWorker.credit, this.#id, bytes)
    let isComplete: boolean
    try {
      isComplete = this.#response.begin(chunk, start, end, credit)
    } catch {
      // The worker's own code validates the head: it was bypassed.
      return this.#worker!.kill('protocol', 'sent an invalid response head')
    }
    if (isComplete) this.#end()
  }

  onChunk(bytes: Buffer): void {
    if (!this.#response.write(bytes)) this.#worker!.kill('protocol', 'sent more than its credit')
  }

  onChunksEnd(isComplete: boolean): void {
    if (isComplete) this.#response.end()
    else this.#outgoing.destroy()
    this.#end()
  }

  onCredit(bytes: number): void {
    this.#reader.addCredit(bytes)
  }

  onWorkerEnd(end: WorkerEnd): void {
    this.fail(responseOfWorkerEnd[end])
  }

  /** Cancels the request in the worker, and sends an error. */
  abort(refusal: ErrorResponse): void {
    if (this.isEnded) return
    this.#worker?.writer.send(toWorker.cancel, this.#id)
    this.fail(refusal)
  }

  #onClose(): void {
    if (this.isEnded) return
    this.#worker?.writer.send(toWorker.cancel, this.#id)
    this.#end()
  }

  #end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#reader.stop()
    this.#worker?.requests.delete(this.#id)
    this.onEnd()
  }
}
