import type { ByteSource } from './ByteSource.ts'

/** A file contradicts its format, or exceeds a limit of these parsers. */
export class MalformedMedia extends Error {}

/** Bytes that are read at once. A value is rarely alone. */
const windowBytes = 64 * 1024
/** Bytes of the largest table that is read. The sample sizes of a day of video at 30 frames a second take 10 MB. */
const maxTableBytes = 16 * 1024 * 1024
/** Elements of one file: boxes, chunks, segments, blocks. Without a limit, a file of empty elements would take minutes. */
const maxElements = 1_000_000

/** Reads the values of a file, and never beyond its end. */
export class MediaReader {
  readonly size: number
  readonly #source: ByteSource
  #window: Uint8Array = new Uint8Array()
  #start = 0
  #elements = 0

  constructor(source: ByteSource) {
    this.#source = source
    this.size = source.size
  }

  /** Counts an element. Throws MalformedMedia if the file has too many. */
  countElement(): void {
    this.#elements += 1
    if (this.#elements > maxElements) throw new MalformedMedia('too many elements')
  }

  /** Returns exactly these bytes. Throws MalformedMedia if the file ends before. */
  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const end = offset + length
    if (!Number.isSafeInteger(end) || offset < 0 || length < 0 || end > this.size || length > maxTableBytes)
      throw new MalformedMedia('a length exceeds the file')
    if (offset < this.#start || end > this.#start + this.#window.length) {
      this.#window = await this.#source.read(offset, Math.max(length, windowBytes))
      this.#start = offset
      if (this.#window.length < length) throw new MalformedMedia('the file became shorter')
    }
    return this.#window.subarray(offset - this.#start, end - this.#start)
  }

  /** Returns exactly these bytes, to read numbers from. Throws MalformedMedia if the file ends before. */
  async view(offset: number, length: number): Promise<DataView> {
    const bytes = await this.bytes(offset, length)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Returns these bytes as Latin-1 text. Throws MalformedMedia if the file ends before. */
  async text(offset: number, length: number): Promise<string> {
    return latin1(await this.bytes(offset, length))
  }

  /** Returns the bytes from `offset` on that can be read at once, but none from `end` on. */
  chunk(offset: number, end: number): Promise<Uint8Array> {
    return this.bytes(offset, Math.min(windowBytes, end - offset))
  }
}

/** Bytes as text, one character each. */
export function latin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

/** Text as bytes, one for each character. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}
