import type { ServerResponse } from 'node:http'
import { bodyKind, bodyWindow } from '../ipc/frames.ts'
import { parseResponseHead, type ResponseHead } from './responseHead.ts'

/** Up to this size head and body are sent as one string, in one write. */
const maxSingleWriteBytes = 16_384

/** Writes the response of a worker to the client. */
export class ResponseWriter {
  readonly #outgoing: ServerResponse
  readonly #isHead: boolean
  #credit: (bytes: number) => void = () => {}
  /** Bytes that the worker may still send. */
  #window = bodyWindow
  /** Bytes written to the client since credit was last sent to the worker. */
  #acknowledged = 0
  /** Remaining bytes of `content-length`; null for a chunked response. */
  #remaining: number | null = null

  constructor(outgoing: ServerResponse, isHead: boolean) {
    this.#outgoing = outgoing
    this.#isHead = isHead
  }

  /**
   * Starts a response from the payload of its frame; returns whether it is complete. Throws if it is invalid.
   * @param credit requests more of a streamed body from the worker
   */
  begin(chunk: Buffer, start: number, end: number, credit: (bytes: number) => void): boolean {
    const outgoing = this.#outgoing
    const kind = chunk[start]!
    const status = chunk.readUInt16LE(start + 1)
    const bodyStart = start + 7 + chunk.readUInt32LE(start + 3)
    if (status < 200 || status > 599 || bodyStart > end || outgoing.headersSent)
      throw new RangeError('invalid response')
    const head = parseResponseHead(chunk.toString('latin1', start + 7, bodyStart))
    if (kind === bodyKind.streamed) {
      if (head.length !== null) this.#remaining = Number(head.length)
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
    else if (bodyLength <= maxSingleWriteBytes)
      outgoing.end(chunk.toString('latin1', bodyStart, end), 'latin1')
    else outgoing.end(chunk.subarray(bodyStart, end))
    return true
  }

  /** Writes a chunk of a streamed body; returns false if the worker exceeds its credit or content-length. */
  write(bytes: Buffer): boolean {
    this.#window -= bytes.length
    if (this.#window < 0 || !this.#outgoing.headersSent) return false
    if (this.#remaining !== null) {
      this.#remaining -= bytes.length
      // Further bytes would be parsed as the next response on this connection.
      if (this.#remaining < 0) return false
    }
    this.#outgoing.write(bytes, () => this.#onWritten(bytes.length))
    return true
  }

  end(): void {
    if (this.#remaining !== null && this.#remaining > 0 && !this.#isHead) this.#outgoing.destroy()
    else this.#outgoing.end()
  }

  #writeHead(status: number, { statusText, headers }: Readonly<ResponseHead>, length: string | null): void {
    const outgoing = this.#outgoing
    if (length !== null) outgoing.setHeader('content-length', length)
    if (statusText === '') outgoing.writeHead(status, headers)
    else outgoing.writeHead(status, statusText, headers)
  }

  #onWritten(bytes: number): void {
    this.#acknowledged += bytes
    if (this.#acknowledged < bodyWindow / 4) return
    this.#window += this.#acknowledged
    this.#credit(this.#acknowledged)
    this.#acknowledged = 0
  }
}
