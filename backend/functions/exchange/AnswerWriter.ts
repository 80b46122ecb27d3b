import type { ServerResponse } from 'node:http'
import { bodyKind, bodyWindow } from '../channel/frames.ts'

/** What concerns one connection alone, and what is said by us. */
const notHandedOn = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * A function shares its address with the application and the pages of this house: unless it says otherwise, what
 * it answers is kept by nobody and runs no script there.
 */
const defaults = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** By name in lower case; a function's own code has joined what may be joined. */
type Headers = Record<string, string | string[]>

/** Bytes up to which head and body go out as one string, which is one write. */
const smallAnswer = 16_384

const digits = /^\d{1,15}$/

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
    const lines = chunk.toString('latin1', start + 7, bodyStart).split('\n')
    const headers: Headers = { ...defaults }
    let length: string | null = null
    for (let i = 1; i + 1 < lines.length; i += 2) {
      const name = lines[i]!.toLowerCase()
      const value = lines[i + 1]!
      if (name === 'content-length') length = value
      else if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value]
      else if (!notHandedOn.has(name)) headers[name] = value
    }
    const isBodiless = status === 204 || status === 304
    if (kind === bodyKind.streamed) {
      if (length !== null && digits.test(length)) {
        this.#promised = Number(length)
        headers['content-length'] = length
      }
      this.#credit = credit
      this.#writeHead(status, lines[0]!, headers)
      outgoing.flushHeaders()
      return false
    }
    const bodyLength = end - bodyStart
    if (this.#isHead && bodyLength === 0) {
      if (length !== null && digits.test(length)) headers['content-length'] = length
    } else if (!isBodiless) headers['content-length'] = String(bodyLength)
    this.#writeHead(status, lines[0]!, headers)
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

  #writeHead(status: number, text: string, headers: Headers): void {
    if (text === '') this.#outgoing.writeHead(status, headers)
    else this.#outgoing.writeHead(status, text, headers)
  }

  #onTaken(bytes: number): void {
    this.#taken += bytes
    if (this.#taken < bodyWindow / 4) return
    this.#window += this.#taken
    this.#credit(this.#taken)
    this.#taken = 0
  }
}
