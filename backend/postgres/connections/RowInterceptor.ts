import type { EventEmitter } from 'node:events'

/** A row as the server sent it; a field of null is NULL. The bytes belong to the socket and must not be changed. */
export type RowBytes = (Buffer | null)[]

/** Returns the handler of the next row, or null to pass it to pg; called for each row, after everything before it. */
export type SelectRowHandler = () => ((row: RowBytes) => void) | null

const DATA_ROW = 'D'.charCodeAt(0)
/** The result was not received, since one of its rows was refused: the connection is closed, the transaction rolled back. */
export class RowRefused extends Error {
  override name = 'RowRefused'
  readonly reason: Error

  constructor(reason: Error) {
    super(reason.message)
    this.reason = reason
  }
}

/**
 * Whether a row that is longer than what has arrived so far is received: called with its bytes before they are
 * buffered. An error refuses it.
 */
export type AdmitRow = (bytes: number) => Error | null

/** One byte for the message type and four for the length, which counts itself. */
const HEADER_LENGTH = 5

type InterceptedSocket = EventEmitter & { destroy(error?: Error): unknown }

const interceptors = new WeakMap<EventEmitter, RowInterceptor>()

/**
 * Sits between a socket and pg's parser, which decodes every field to a string: for a long result that isn't plain
 * ASCII this takes most of a request's time, only to be encoded again. Intercepted rows bypass the parser.
 */
export class RowInterceptor {
  /** Null passes everything on. Set between messages: before a query is sent. */
  selectHandler: SelectRowHandler | null = null
  /** Called for each long row; set with `selectHandler`. */
  admitRow: AdmitRow | null = null
  readonly #socket: InterceptedSocket
  readonly #parse: (bytes: Buffer) => void
  #chunks: Buffer[] = []
  /** A long message, filled as it arrives: joining chunks at the end would take twice the memory. */
  #longMessage: Buffer | null = null
  #size = 0
  /** Bytes needed for the next message to be complete. */
  #requiredBytes = HEADER_LENGTH

  private constructor(socket: InterceptedSocket, parse: (bytes: Buffer) => void) {
    this.#socket = socket
    this.#parse = parse
  }

  /** The interceptor of a pg connection's socket, installed at first use. */
  static of(socket: InterceptedSocket): RowInterceptor {
    const existing = interceptors.get(socket)
    if (existing) return existing
    const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[]
    const interceptor = new RowInterceptor(socket, (bytes) => {
      for (const listener of listeners) listener.call(socket, bytes)
    })
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => interceptor.#read(bytes))
    interceptors.set(socket, interceptor)
    return interceptor
  }

  #read(bytes: Buffer): void {
    if (!this.selectHandler && this.#size === 0) {
      this.#parse(bytes)
      return
    }
    if (this.#longMessage) return this.#readLong(this.#longMessage, bytes)
    this.#chunks.push(bytes)
    this.#size += bytes.length
    if (this.#size < this.#requiredBytes) return
    const whole = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    this.#readMessages(whole)
  }

  #readLong(message: Buffer, bytes: Buffer): void {
    const count = bytes.copy(message, this.#size)
    this.#size += count
    if (this.#size < message.length) return
    this.#longMessage = null
    this.#size = 0
    this.#readMessages(message)
    if (count < bytes.length) this.#read(bytes.subarray(count))
  }

  #readMessages(bytes: Buffer): void {
    this.#requiredBytes = HEADER_LENGTH
    let passed = 0
    let at = 0
    while (at + HEADER_LENGTH <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (end > bytes.length) {
        this.#requiredBytes = end - at
        break
      }
      if (bytes[at] === DATA_ROW) {
        // Which query the row belongs to depends on the messages before it.
        if (at > passed) this.#parse(bytes.subarray(passed, at))
        passed = at
        const handle = this.selectHandler?.()
        if (handle) {
          handle(fieldsOf(bytes, at + HEADER_LENGTH))
          passed = end
        }
      }
      at = end
    }
    if (at > passed) this.#parse(bytes.subarray(passed, at))
    if (at === bytes.length) return
    const rest = bytes.subarray(at)
    if (this.#requiredBytes === HEADER_LENGTH) {
      this.#chunks.push(rest)
      this.#size = rest.length
      return
    }
    const refusal = rest[0] === DATA_ROW ? this.admitRow?.(this.#requiredBytes) : null
    // Closing the connection in the middle of a row rolls the transaction back: PostgreSQL has not committed it yet.
    if (refusal) return void this.#socket.destroy(new RowRefused(refusal))
    this.#longMessage = Buffer.allocUnsafeSlow(this.#requiredBytes)
    this.#size = rest.copy(this.#longMessage)
  }
}

function fieldsOf(bytes: Buffer, start: number): RowBytes {
  const row: RowBytes = []
  let at = start + 2
  for (let left = bytes.readUInt16BE(start); left > 0; left--) {
    const length = bytes.readInt32BE(at)
    at += 4
    row.push(length < 0 ? null : bytes.subarray(at, at + length))
    if (length > 0) at += length
  }
  return row
}
