import { frameHeaderBytes, maxPayload } from './frames.ts'

/** Called with each complete frame; the payload is `chunk` from `start` to `end`. */
type OnFrame = (kind: number, id: number, chunk: Buffer, start: number, end: number) => void

/** Splits the bytes of a socket into frames. */
export class FrameReader {
  readonly #onFrame: OnFrame
  #rest: Buffer[] = []
  #restLength = 0
  /** Bytes that must have arrived before the next frame can be parsed. */
  #needed = frameHeaderBytes

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame
  }

  /** Throws RangeError for a length above `maxPayload`. */
  push(chunk: Buffer): void {
    if (this.#restLength > 0) {
      this.#rest.push(chunk)
      this.#restLength += chunk.length
      if (this.#restLength < this.#needed) return
      chunk = Buffer.concat(this.#rest, this.#restLength)
      this.#rest = []
      this.#restLength = 0
    }
    let at = 0
    this.#needed = frameHeaderBytes
    while (chunk.length - at >= frameHeaderBytes) {
      const length = chunk.readUInt32LE(at)
      if (length > maxPayload) throw new RangeError('a frame is too long')
      const start = at + frameHeaderBytes
      const end = start + length
      if (end > chunk.length) {
        this.#needed = frameHeaderBytes + length
        break
      }
      this.#onFrame(chunk[at + 4]!, chunk.readUInt32LE(at + 5), chunk, start, end)
      at = end
    }
    if (at === chunk.length) return
    this.#rest.push(chunk.subarray(at))
    this.#restLength = chunk.length - at
  }
}
