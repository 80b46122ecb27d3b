// oxlint-disable no-await-in-loop -- a file is read in order
import { MalformedMedia, type MediaReader } from './MediaReader.ts'

/** A range of a file that gets other bytes: `head`, then zeros up to `length`. */
export interface Overwrite {
  offset: number
  length: number
  head: Uint8Array
}

const noBytes = new Uint8Array()
const maxOverwrites = 1_000_000

/** Collects the ranges of a file to overwrite. A range that has these bytes already is left out. */
export class Overwrites {
  readonly #reader: MediaReader
  #collected: Overwrite[] = []

  constructor(reader: MediaReader) {
    this.#reader = reader
  }

  get count(): number {
    return this.#collected.length
  }

  /** Writes `head` and zeros into a range. Throws MalformedMedia if the range exceeds the file. */
  async add(offset: number, length: number, head: Uint8Array = noBytes): Promise<void> {
    if (length < head.length || offset + length > this.#reader.size)
      throw new MalformedMedia('a range exceeds the file')
    if (!(await this.#differs(offset, length, head))) return
    if (this.#collected.length >= maxOverwrites) throw new MalformedMedia('too many ranges')
    this.#collected.push({ offset, length, head })
  }

  /** Removes the ranges that were added after the first `count`. */
  truncate(count: number): void {
    this.#collected.length = count
  }

  /** Returns the ranges in order. Throws MalformedMedia where two ranges of different content overlap. */
  finish(): Overwrite[] {
    const ordered = this.#collected.toSorted((a, b) => a.offset - b.offset)
    const merged: Overwrite[] = []
    for (const next of ordered) {
      const last = merged.at(-1)
      const end = last ? last.offset + last.length : -1
      if (!last || next.offset > end || (next.offset === end && next.head.length > 0))
        merged.push({ ...next })
      else if (next.head.length > 0 || next.offset < last.offset + last.head.length)
        throw new MalformedMedia('ranges overlap')
      else last.length = Math.max(end, next.offset + next.length) - last.offset
    }
    return merged
  }

  async #differs(offset: number, length: number, head: Uint8Array): Promise<boolean> {
    const end = offset + length
    for (let at = offset; at < end;) {
      const chunk = await this.#reader.chunk(at, end)
      const start = at
      if (chunk.some((byte, index) => byte !== (head[start - offset + index] ?? 0))) return true
      at += chunk.length
    }
    return false
  }
}

/** Overwrites the part of a file that `chunk` contains, whose first byte is at `offset` of the file. */
export function overwriteChunk(chunk: Uint8Array, offset: number, overwrites: readonly Overwrite[]): void {
  for (const { offset: start, length, head } of overwrites) {
    const from = Math.max(start, offset)
    const to = Math.min(start + length, offset + chunk.length)
    if (from >= to) continue
    chunk.fill(0, from - offset, to - offset)
    const written = head.subarray(from - start, to - start)
    chunk.set(written, from - offset)
  }
}

/** Zeros that all ranges of a blob share. */
const zeros = new Uint8Array(64 * 1024)

/** A file with these ranges overwritten, as long as before. The other bytes stay on the disk. */
export function overwriteBlob(blob: Blob, overwrites: readonly Overwrite[]): Blob {
  const parts: Blob[] = []
  let at = 0
  for (const { offset, length, head } of overwrites) {
    parts.push(blob.slice(at, offset), new Blob([head as Uint8Array<ArrayBuffer>]))
    for (let left = length - head.length; left > 0; left -= zeros.length)
      parts.push(new Blob([zeros.subarray(0, Math.min(left, zeros.length))]))
    at = offset + length
  }
  return new Blob([...parts, blob.slice(at)], { type: blob.type })
}
