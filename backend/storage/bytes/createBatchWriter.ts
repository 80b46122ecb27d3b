import type { FileHandle } from 'node:fs/promises'

/** Bytes that may wait for the current write. */
const maxPendingBytes = 512 * 1024

/** Writes a file sequentially while further bytes arrive. */
export interface BatchWriter {
  /** Adds bytes, which must not be changed afterwards; resolves when more may be added. */
  add(chunk: Buffer): Promise<void>
  /** Resolves when all bytes are written, but not synced. */
  finish(): Promise<void>
  /** Discards unwritten bytes, and resolves when no write is in progress. Never throws. */
  abandon(): Promise<void>
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  }
}

/**
 * Bytes that arrive during a write are combined in the next one: a connection delivers at most 64 KB at a time, and each
 * write costs two thread switches whatever its size. An idle disk never waits, and a slow one applies backpressure.
 * @param start where in the file the first bytes go
 */
export function createBatchWriter(file: FileHandle, start: number): BatchWriter {
  let pending: Buffer[] = []
  let size = 0
  let at = start
  /** The write in progress; a failed one stays, so that the next call rejects. */
  let writing: Promise<void> | null = null

  const writeNext = async (): Promise<void> => {
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending, size)
    pending = []
    size = 0
    await writeAll(file, bytes, at)
    at += bytes.length
    writing = null
    if (size > 0) startWrite()
  }
  const startWrite = (): void => {
    writing = writeNext()
    writing.catch(() => {})
  }

  return {
    async add(chunk) {
      pending.push(chunk)
      size += chunk.length
      if (!writing) startWrite()
      else if (size >= maxPendingBytes) await writing
    },
    async finish() {
      if (!writing) return
      await writing
      // Bytes that arrived meanwhile are in another write.
      await this.finish()
    },
    async abandon() {
      pending = []
      size = 0
      await writing?.catch(() => {})
    },
  }
}
