import type { EventEmitter } from 'node:events'

/** A row as the server sent it; a field of null is NULL. The bytes are the socket's own: not to be written to. */
export type RowBytes = (Buffer | null)[]

/** Whether a row goes to the tap: asked for each, after all that came before it. */
export type SelectRowHandler = () => ((row: RowBytes) => void) | null

const DATA_ROW = 'D'.charCodeAt(0)
/** The answer was not received, since a row of it was refused: the connection is closed, the transaction rolled back. */
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

/** One byte that says what a message is, four of its length, which counts itself. */
const HEADER_LENGTH = 5

type InterceptedSocket = EventEmitter & { destroy(error?: Error): unknown }

const interceptors = new WeakMap<EventEmitter, RowInterceptor>()

/**
 * Stands between a socket and pg's parser, which makes a text of every field: of a long answer that isn't plain
 * ASCII this takes most of a request's time, only to be made bytes again. Rows that someone takes don't get there.
 */
export class RowInterceptor {
  /** Null passes everything on. Set where no message is half read: before a query is sent. */
  selectHandler: SelectRowHandler | null = null
  /** Called for each long row; set with `taker`. */
  admitRow: AdmitRow | null = null
  readonly #socket: InterceptedSocket
  readonly #parse: (bytes: Buffer) => void
  #chunks: Buffer[] = []
  /** A long message, filled as it arrives: chunks that are joined at the end would take the memory twice. */
  #longMessage: Buffer | null = null
  #size = 0
  /** How many bytes there must be for the next message to be whole. */
  #requiredBytes = HEADER_LENGTH

  private constructor(socket: InterceptedSocket, parse: (bytes: Buffer) => void) {
    this.#socket = socket
    this.#parse = parse
  }

  /** The tap of a pg connection's socket, put in at its first use. */
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
        // Whose row it is depends on what came before.
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
    // Closed in the middle of a row, the connection takes the transaction with it: PostgreSQL has not ended it yet.
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
