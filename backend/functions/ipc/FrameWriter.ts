import { frameHead } from './frames.ts'

/** Bytes that are reserved at once; frames of one turn share them and so one system call. */
const slabSize = 65_536

/** A body as it is at hand: text goes out as UTF-8. */
export type Bytes = string | Uint8Array

/** Gathers the frames of one turn of the event loop and writes them together. */
export class FrameWriter {
  readonly #write: (bytes: Buffer) => void
  #slab = Buffer.allocUnsafeSlow(slabSize)
  #start = 0
  #end = 0
  #isWaiting = false

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write
  }

  /** A frame of bytes, or of none. */
  send(kind: number, id: number, payload: Uint8Array | null = null): void {
    const length = payload?.length ?? 0
    const at = this.#open(kind, id, length)
    if (payload) this.#slab.set(payload, at)
  }

  /** A frame of numbers, 32 bits each. */
  sendNumbers(kind: number, id: number, ...numbers: number[]): void {
    let at = this.#open(kind, id, 4 * numbers.length)
    for (const number of numbers) at = this.#slab.writeUInt32LE(number >>> 0, at)
  }

  /** `body | length of head | head | body`, with the status between where it is an answer's. */
  sendMessage(
    kind: number,
    id: number,
    body: number,
    status: number | null,
    head: string,
    bytes: Bytes,
  ): void {
    const bodyLength = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length
    const fixed = status === null ? 5 : 7
    let at = this.#open(kind, id, fixed + head.length + bodyLength)
    const slab = this.#slab
    slab[at++] = body
    if (status !== null) at = slab.writeUInt16LE(status, at)
    at = slab.writeUInt32LE(head.length, at)
    at += slab.write(head, at, 'latin1')
    if (bodyLength === 0) return
    if (typeof bytes === 'string') slab.write(bytes, at, 'utf8')
    else slab.set(bytes, at)
  }

  flush(): void {
    this.#isWaiting = false
    if (this.#start === this.#end) return
    this.#write(this.#slab.subarray(this.#start, this.#end))
    this.#start = this.#end
  }

  /** Writes a frame's head and answers where its payload begins in the slab. */
  #open(kind: number, id: number, length: number): number {
    const needed = frameHead + length
    if (this.#end + needed > this.#slab.length) {
      this.flush()
      // A slab that has gone out may still be read by the socket: it is left to it.
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabSize, needed))
      this.#start = 0
      this.#end = 0
    }
    if (!this.#isWaiting) {
      this.#isWaiting = true
      setImmediate(() => this.flush())
    }
    let at = this.#slab.writeUInt32LE(length, this.#end)
    this.#slab[at++] = kind
    at = this.#slab.writeUInt32LE(id, at)
    this.#end = at + length
    return at
  }
}
