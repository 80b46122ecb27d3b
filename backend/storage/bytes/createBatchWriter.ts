import type { FileHandle } from 'node:fs/promises'

/** Bytes that may wait for the write before them. */
const maxPendingBytes = 512 * 1024

/** Writes a file from the beginning to its end while the next bytes arrive. */
export interface BatchWriter {
  /** Takes bytes, which nobody may change any more; resolves when there is room for the next ones. */
  add(chunk: Buffer): Promise<void>
  /** Resolves when all that was taken is in the file, though not safe there. */
  finish(): Promise<void>
  /** Forgets what has not been written, and resolves when nothing is under way any more. Never throws. */
  abandon(): Promise<void>
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  }
}

/**
 * What arrives while a write is under way goes together in the next one: connections bring 64 KB at most at a time, and
 * a write takes two changes of thread whatever its size. Nothing waits while the disk has nothing to do, and a slow one
 * holds up the connection.
 * @param start where in the file the first bytes go
 */
export function createBatchWriter(file: FileHandle, start: number): BatchWriter {
  let pending: Buffer[] = []
  let size = 0
  let at = start
  /** The write under way; a failed one stays, so that whoever asks next hears of it. */
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
      // What came meanwhile has a write of its own.
      await this.finish()
    },
    async abandon() {
      pending = []
      size = 0
      await writing?.catch(() => {})
    },
  }
}
