import type { EventEmitter } from 'node:events'

/** A row as the server sent it; a field of null is NULL. The bytes are the socket's own: not to be written to. */
export type RowBytes = (Buffer | null)[]

/** Whether a row goes to the tap: asked for each, after all that came before it. */
export type TakesRow = () => ((row: RowBytes) => void) | null

const DATA_ROW = 'D'.charCodeAt(0)
/** One byte that says what a message is, four of its length, which counts itself. */
const HEADER_LENGTH = 5

const taps = new WeakMap<EventEmitter, RowTap>()

/**
 * Stands between a socket and pg's parser, which makes a text of every field: of a long answer that isn't plain
 * ASCII this takes most of a request's time, only to be made bytes again. Rows that someone takes don't get there.
 */
export class RowTap {
  /** Null passes everything on. Set where no message is half read: before a query is sent. */
  taker: TakesRow | null = null
  readonly #parse: (bytes: Buffer) => void
  #chunks: Buffer[] = []
  #size = 0
  /** How many bytes there must be for the next message to be whole. */
  #wanted = HEADER_LENGTH

  private constructor(parse: (bytes: Buffer) => void) {
    this.#parse = parse
  }

  /** The tap of a pg connection's socket, put in at its first use. */
  static of(socket: EventEmitter): RowTap {
    const known = taps.get(socket)
    if (known) return known
    const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[]
    const tap = new RowTap((bytes) => {
      for (const listener of listeners) listener.call(socket, bytes)
    })
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => tap.#read(bytes))
    taps.set(socket, tap)
    return tap
  }

  #read(bytes: Buffer): void {
    if (!this.taker && this.#size === 0) {
      this.#parse(bytes)
      return
    }
    this.#chunks.push(bytes)
    this.#size += bytes.length
    if (this.#size >= this.#wanted) this.#readMessages()
  }

  /** A long message comes in many chunks: they are joined once it is whole. */
  #readMessages(): void {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    this.#wanted = HEADER_LENGTH
    let passed = 0
    let at = 0
    while (at + HEADER_LENGTH <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (end > bytes.length) {
        this.#wanted = end - at
        break
      }
      if (bytes[at] === DATA_ROW) {
        // Whose row it is depends on what came before.
        if (at > passed) this.#parse(bytes.subarray(passed, at))
        passed = at
        const take = this.taker?.()
        if (take) {
          take(fieldsOf(bytes, at + HEADER_LENGTH))
          passed = end
        }
      }
      at = end
    }
    if (at > passed) this.#parse(bytes.subarray(passed, at))
    if (at === bytes.length) return
    const rest = bytes.subarray(at)
    this.#chunks.push(rest)
    this.#size = rest.length
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
