import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { errors } from '../errors.ts'

/** Bytes from `first` to `last`, both included. */
export interface ByteRange {
  first: number
  last: number
}

/** An open file, or its bytes where they are cached. */
export interface OpenBytes {
  size: number
  /** Rejects with MissingBytes where the file ends before the range does. The result must not be changed. */
  read(range: ByteRange): Promise<Buffer>
  /** @param chunkBytes bytes read at a time */
  stream(range: ByteRange, chunkBytes: number): Readable
  close(): Promise<void>
}

/** @param onWholeRead is given the bytes of the whole file where one `read` has read them */
export function bytesOfFile(
  handle: FileHandle,
  size: number,
  onWholeRead?: (whole: Buffer) => void,
): OpenBytes {
  return {
    size,
    async read({ first, last }) {
      // Not a slice of a pool, which a cached buffer would keep in memory.
      const buffer = Buffer.allocUnsafeSlow(last - first + 1)
      let filled = 0
      while (filled < buffer.length) {
        // oxlint-disable-next-line no-await-in-loop -- each continues where the previous one ended
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, first + filled)
        if (bytesRead === 0) throw errors.missingBytes()
        filled += bytesRead
      }
      if (buffer.length === size) onWholeRead?.(buffer)
      return buffer
    },
    stream: ({ first, last }, chunkBytes) =>
      createReadStream('', {
        fd: handle,
        start: first,
        end: last,
        autoClose: false,
        highWaterMark: chunkBytes,
      }),
    close: () => handle.close(),
  }
}

export function bytesInMemory(whole: Buffer): OpenBytes {
  const part = ({ first, last }: ByteRange): Buffer => whole.subarray(first, last + 1)
  return {
    size: whole.length,
    read: async (range) => part(range),
    stream: (range) => Readable.from([part(range)]),
    close: async () => {},
  }
}
