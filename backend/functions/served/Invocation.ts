import { errorResponses, responseOfWorkerEnd, timedOut, type ErrorResponse } from '../errorResponses.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { bodyKind, toWorker } from '../ipc/frames.ts'
import type { WorkerEnd } from '../process/InFlightRequest.ts'
import type { WorkerProcess } from '../process/WorkerProcess.ts'
import type { DispatchedRequest } from './DispatchedRequest.ts'

/** A request of the server itself to a function. Only the status of its response is used. */
export class Invocation implements DispatchedRequest {
  startedAt = performance.now()
  onEnd: () => void = () => {}
  isEnded = false
  readonly #head: string
  readonly #body: Buffer
  readonly #onStatus: (status: number) => void
  #worker: WorkerProcess | null = null
  #id = 0

  /**
   * @param head as `requestHead` renders it
   * @param onStatus called once, with the status of the response, or of the error response that a client would receive
   */
  constructor(head: string, body: Buffer, onStatus: (status: number) => void) {
    this.#head = head
    this.#body = body
    this.#onStatus = onStatus
  }

  start(worker: WorkerProcess): void {
    this.startedAt = performance.now()
    this.#worker = worker
    this.#id = worker.addRequest(this)
    worker.writer.sendMessage(toWorker.request, this.#id, bodyKind.whole, null, this.#head, this.#body)
  }

  fail({ status }: ErrorResponse): void {
    this.#end(status)
  }

  checkTime(now: number, { wallMs, responseMs }: FunctionLimits): void {
    const age = now - this.startedAt
    if (age > wallMs) this.#abort(errorResponses.limit.status)
    else if (age > responseMs) this.#abort(timedOut(responseMs).status)
  }

  onResponse(chunk: Buffer, start: number): void {
    const status = chunk.readUInt16LE(start + 1)
    // The worker would wait for credit.
    if (chunk[start] === bodyKind.streamed) this.#abort(status)
    else this.#end(status)
  }

  onChunk(): void {}

  onChunksEnd(): void {}

  onCredit(): void {}

  onWorkerEnd(end: WorkerEnd): void {
    this.fail(responseOfWorkerEnd[end])
  }

  #abort(status: number): void {
    this.#worker?.writer.send(toWorker.cancel, this.#id)
    this.#end(status)
  }

  #end(status: number): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#worker?.requests.delete(this.#id)
    this.onEnd()
    this.#onStatus(status)
  }
}
