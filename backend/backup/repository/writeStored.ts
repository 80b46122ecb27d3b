import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { startEncryption } from '../age/encrypt.ts'
import { asBackupError, BackupError } from '../BackupError.ts'
import { paths } from './layout.ts'
import type { Repository } from './openRepository.ts'

/** Bytes of one write. */
const writeBytes = 1024 * 1024

export interface Stored {
  plainBytes: number
  storedBytes: number
  /** Of the stored bytes, in hexadecimal digits. */
  sha256: string
}

/** A complete file in `incoming`, which is not part of the repository yet. */
export interface IncomingFile extends Stored {
  /** Renames it to its final path, in an existing folder of the repository. */
  publish(path: string): Promise<void>
  remove(): Promise<void>
}

export interface WriteOptions {
  /** Compresses before encryption. */
  gzip: boolean
  /** False: the bytes are stored as they are. */
  encrypt?: boolean
  /** Called before each write. It throws where the disk has too little space left. */
  onWrite?: (bytes: number) => Promise<void> | void
  signal?: AbortSignal
  /** Where the file is until it is published; by default the folder of backups. */
  folder?: string
}

/**
 * Writes one file into `incoming` in bounded memory, syncs it, and reads it back. Throws BackupError, and then leaves
 * nothing behind.
 */
export async function writeStored(
  repository: Repository,
  source: AsyncIterable<Buffer>,
  o: WriteOptions,
): Promise<IncomingFile> {
  const path = join(o.folder ?? paths.incoming(repository.dir), randomUUID())
  try {
    const stored = await write(repository.info.publicKey, path, source, o)
    if ((await hashFile(path)) !== stored.sha256)
      throw new BackupError(
        `${repository.dir} returns other bytes than were written. Its disk may be defective.`,
      )
    return {
      ...stored,
      publish: (target) => rename(path, target),
      remove: () => rm(path, { force: true }),
    }
  } catch (error) {
    await rm(path, { force: true })
    throw asBackupError(error, path)
  }
}

async function write(
  publicKey: string,
  path: string,
  source: AsyncIterable<Buffer>,
  { gzip, encrypt = true, onWrite, signal }: WriteOptions,
): Promise<Stored> {
  const encryption = encrypt ? await startEncryption(publicKey) : null
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  let plainBytes = 0
  let storedBytes = 0
  let pending: Buffer[] = []
  let pendingBytes = 0
  const flush = async (): Promise<void> => {
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending, pendingBytes)
    pending = []
    pendingBytes = 0
    await onWrite?.(bytes.length)
    hash.update(bytes)
    for (let written = 0; written < bytes.length;)
      written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
    storedBytes += bytes.length
  }
  const add = (bytes: Buffer): Promise<void> | undefined => {
    if (bytes.length === 0) return
    pending.push(bytes)
    pendingBytes += bytes.length
    return pendingBytes >= writeBytes ? flush() : undefined
  }
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      signal?.throwIfAborted()
      plainBytes += chunk.length
      yield chunk
    }
  }
  try {
    if (encryption) await add(encryption.start)
    for await (const chunk of gzip ? compress(counted()) : counted())
      await add(encryption ? encryption.update(chunk) : chunk)
    if (encryption) await add(encryption.final())
    if (pendingBytes > 0) await flush()
    await file.sync()
    return { plainBytes, storedBytes, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

/** Level 1: higher levels take twice the time and more for a tenth of the size. */
async function* compress(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 128 * 1024 })
  const feeding = (async () => {
    try {
      for await (const chunk of source) {
        if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve))
      }
      gzip.end()
    } catch (error) {
      gzip.destroy(error as Error)
    }
  })()
  try {
    for await (const chunk of gzip) yield chunk as Buffer
    await feeding
  } finally {
    gzip.destroy()
  }
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: writeBytes }))
    hash.update(chunk as Buffer)
  return hash.digest('hex')
}
