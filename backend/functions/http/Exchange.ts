import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyKind, bodyWindow, toWorker } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import type { Guest, WorkerEnd, WorkerProcess } from '../process/WorkerProcess.ts'
import { refusals, refuse, timedOut, type Refusal } from '../refusals.ts'
import { AnswerWriter } from './AnswerWriter.ts'
import { RequestReader } from './RequestReader.ts'

const refusalOf: Record<WorkerEnd, Refusal> = {
  crash: refusals.crash,
  protocol: refusals.crash,
  'let go': refusals.crash,
  memory: refusals.limit,
  cpu: refusals.limit,
  time: refusals.limit,
}

/** One request of a client and its answer: between the client's connection and a worker. */
export class Exchange implements Guest {
  startedAt = performance.now()
  /** Called once, when nothing is left to do. */
  onOver: () => void = () => {}
  isOver = false
  readonly #outgoing: ServerResponse
  readonly #reader: RequestReader
  readonly #answer: AnswerWriter
  readonly #head: string
  #worker: WorkerProcess | null = null
  #id = 0

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, head: string, limits: FunctionLimits) {
    this.#outgoing = outgoing
    this.#head = head
    this.#reader = new RequestReader(incoming, limits.requestBytes)
    this.#answer = new AnswerWriter(outgoing, incoming.method === 'HEAD')
    outgoing.once('close', () => this.#onClose())
  }

  /** Calls back when enough of the request is there to hand it on; answers itself where it is too large. */
  whenReady(ready: () => void): void {
    this.#reader.whenReady(ready, () => this.refuse(refusals.tooLarge))
  }

  /** Hands the request to a worker. */
  enter(worker: WorkerProcess): void {
    const reader = this.#reader
    this.startedAt = performance.now()
    this.#worker = worker
    this.#id = worker.admit(this)
    const { writer } = worker
    writer.sendMessage(toWorker.request, this.#id, reader.kind, null, this.#head, reader.whole)
    if (reader.kind !== bodyKind.streamed) return
    reader.stream(
      bodyWindow,
      (piece) => writer.send(toWorker.body, this.#id, piece),
      () => writer.send(toWorker.bodyEnd, this.#id),
      () => this.giveUp(refusals.tooLarge),
    )
  }

  /** Answers in the function's stead; cuts an answer off that has begun. */
  refuse(refusal: Refusal): void {
    if (this.isOver) return
    if (this.#outgoing.headersSent) this.#outgoing.destroy()
    else refuse(this.#outgoing, refusal)
    this.#end()
  }

  checkTime(now: number, limits: FunctionLimits): void {
    const age = now - this.startedAt
    if (age > limits.wallMs) this.giveUp(refusals.limit)
    else if (age > limits.answerMs && !this.#outgoing.headersSent) this.giveUp(timedOut(limits.answerMs))
  }

  onAnswer(chunk: Buffer, start: number, end: number): void {
    const { writer } = this.#worker!
    const credit = (bytes: number): void => writer.sendNumbers(toWorker.credit, this.#id, bytes)
    let isWhole: boolean
    try {
      isWhole = this.#answer.begin(chunk, start, end, credit)
    } catch {
      // Its own code has checked the head: only what bypassed it gets here.
      return this.#worker!.kill('protocol', 'sent a head that is none')
    }
    if (isWhole) this.#end()
  }

  onPiece(bytes: Buffer): void {
    if (!this.#answer.write(bytes)) this.#worker!.kill('protocol', 'sent more than it was asked for')
  }

  onPiecesEnd(isWhole: boolean): void {
    if (isWhole) this.#answer.end()
    else this.#outgoing.destroy()
    this.#end()
  }

  onCredit(bytes: number): void {
    this.#reader.addCredit(bytes)
  }

  onWorkerEnd(end: WorkerEnd): void {
    this.refuse(refusalOf[end])
  }

  /** The worker need not go on. */
  giveUp(refusal: Refusal): void {
    if (this.isOver) return
    this.#worker?.writer.send(toWorker.cancel, this.#id)
    this.refuse(refusal)
  }

  #onClose(): void {
    if (this.isOver) return
    this.#worker?.writer.send(toWorker.cancel, this.#id)
    this.#end()
  }

  #end(): void {
    if (this.isOver) return
    this.isOver = true
    this.#reader.stop()
    this.#worker?.guests.delete(this.#id)
    this.onOver()
  }
}
