import type { ServerResponse } from 'node:http'
import { bodyKind, bodyWindow } from '../ipc/frames.ts'
import { answerHead, type AnswerHead } from './answerHead.ts'

/** Bytes up to which head and body go out as one string, which is one write. */
const smallAnswer = 16_384

/** Writes what a worker answers to the client. */
export class AnswerWriter {
  readonly #outgoing: ServerResponse
  readonly #isHead: boolean
  #credit: (bytes: number) => void = () => {}
  /** Bytes that the worker may still send. */
  #window = bodyWindow
  /** Bytes that the client's connection has taken since the worker was last told. */
  #taken = 0
  /** Bytes that `content-length` still promises; null where the answer comes in chunks. */
  #promised: number | null = null

  constructor(outgoing: ServerResponse, isHead: boolean) {
    this.#outgoing = outgoing
    this.#isHead = isHead
  }

  /**
   * Begins an answer from the payload of its frame; answers whether that was all. Throws where it is no answer.
   * @param credit asks the worker for more of a streamed body
   */
  begin(chunk: Buffer, start: number, end: number, credit: (bytes: number) => void): boolean {
    const outgoing = this.#outgoing
    const kind = chunk[start]!
    const status = chunk.readUInt16LE(start + 1)
    const bodyStart = start + 7 + chunk.readUInt32LE(start + 3)
    if (status < 200 || status > 599 || bodyStart > end || outgoing.headersSent)
      throw new RangeError('no answer')
    const head = answerHead(chunk.toString('latin1', start + 7, bodyStart))
    if (kind === bodyKind.streamed) {
      if (head.length !== null) this.#promised = Number(head.length)
      this.#credit = credit
      this.#writeHead(status, head, head.length)
      outgoing.flushHeaders()
      return false
    }
    const bodyLength = end - bodyStart
    const isBodiless = status === 204 || status === 304
    const ofHead = this.#isHead && bodyLength === 0
    this.#writeHead(status, head, ofHead ? head.length : isBodiless ? null : String(bodyLength))
    if (bodyLength === 0 || isBodiless) outgoing.end()
    else if (bodyLength <= smallAnswer) outgoing.end(chunk.toString('latin1', bodyStart, end), 'latin1')
    else outgoing.end(chunk.subarray(bodyStart, end))
    return true
  }

  /** A piece of a streamed body; false where the worker sends what nobody asked for. */
  write(bytes: Buffer): boolean {
    this.#window -= bytes.length
    if (this.#window < 0 || !this.#outgoing.headersSent) return false
    if (this.#promised !== null) {
      this.#promised -= bytes.length
      // What follows would be read as the next answer on this connection.
      if (this.#promised < 0) return false
    }
    this.#outgoing.write(bytes, () => this.#onTaken(bytes.length))
    return true
  }

  end(): void {
    if (this.#promised !== null && this.#promised > 0 && !this.#isHead) this.#outgoing.destroy()
    else this.#outgoing.end()
  }

  #writeHead(status: number, { statusText, headers }: Readonly<AnswerHead>, length: string | null): void {
    const outgoing = this.#outgoing
    if (length !== null) outgoing.setHeader('content-length', length)
    if (statusText === '') outgoing.writeHead(status, headers)
    else outgoing.writeHead(status, statusText, headers)
  }

  #onTaken(bytes: number): void {
    this.#taken += bytes
    if (this.#taken < bodyWindow / 4) return
    this.#window += this.#taken
    this.#credit(this.#taken)
    this.#taken = 0
  }
}
