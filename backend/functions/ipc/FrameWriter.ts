import { frameHeaderBytes } from './frames.ts'

/** The size of a buffer. The frames of one turn of the event loop share it, and so one system call. */
const bufferSize = 65_536

/** A body; text is sent as UTF-8. */
export type Bytes = string | Uint8Array

/**
 * Writes frames to the channel between server and worker. It combines the frames of one turn of the event loop into
 * one write.
 */
export class FrameWriter {
  readonly #write: (bytes: Buffer) => void
  #buffer = Buffer.allocUnsafeSlow(bufferSize)
  #start = 0
  #end = 0
  #isScheduled = false

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write
  }

  /** Sends a frame of bytes, or an empty one. */
  send(kind: number, id: number, payload: Uint8Array | null = null): void {
    const length = payload?.length ?? 0
    const at = this.#open(kind, id, length)
    if (payload) this.#buffer.set(payload, at)
  }

  /** Sends a frame of 32-bit numbers. */
  sendNumbers(kind: number, id: number, ...numbers: number[]): void {
    let at = this.#open(kind, id, 4 * numbers.length)
    for (const number of numbers) at = this.#buffer.writeUInt32LE(number >>> 0, at)
  }

  /** Sends `kind of body | status (of a response only) | length of head | head | body`. */
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
    const buffer = this.#buffer
    buffer[at++] = body
    if (status !== null) at = buffer.writeUInt16LE(status, at)
    at = buffer.writeUInt32LE(head.length, at)
    at += buffer.write(head, at, 'latin1')
    if (bodyLength === 0) return
    if (typeof bytes === 'string') buffer.write(bytes, at, 'utf8')
    else buffer.set(bytes, at)
  }

  flush(): void {
    this.#isScheduled = false
    if (this.#start === this.#end) return
    this.#write(this.#buffer.subarray(this.#start, this.#end))
    this.#start = this.#end
  }

  /** Writes a frame's header and returns the offset of its payload in the buffer. */
  #open(kind: number, id: number, length: number): number {
    const needed = frameHeaderBytes + length
    if (this.#end + needed > this.#buffer.length) {
      this.flush()
      // The socket may still read a buffer that was written, so it is not reused.
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(bufferSize, needed))
      this.#start = 0
      this.#end = 0
    }
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.flush())
    }
    let at = this.#buffer.writeUInt32LE(length, this.#end)
    this.#buffer[at++] = kind
    at = this.#buffer.writeUInt32LE(id, at)
    this.#end = at + length
    return at
  }
}
