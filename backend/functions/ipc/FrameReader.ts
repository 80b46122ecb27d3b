import { frameHead, longestPayload } from './frames.ts'

/** Called with each whole frame; the payload is `chunk` from `start` to `end`, valid as long as it is held. */
type OnFrame = (kind: number, id: number, chunk: Buffer, start: number, end: number) => void

/** Cuts what a socket brings into frames. */
export class FrameReader {
  readonly #onFrame: OnFrame
  #rest: Buffer[] = []
  #restLength = 0
  /** Bytes that must be there before looking again is worth anything. */
  #needed = frameHead

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame
  }

  /** Throws RangeError where a length is beyond `longestPayload`. */
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
    this.#needed = frameHead
    while (chunk.length - at >= frameHead) {
      const length = chunk.readUInt32LE(at)
      if (length > longestPayload) throw new RangeError('a frame is too long')
      const start = at + frameHead
      const end = start + length
      if (end > chunk.length) {
        this.#needed = frameHead + length
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
