import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createBrotliDecompress } from 'node:zlib'
import { DamagedError, decrypt, WrongKeyError } from '../age/decrypt.ts'
import { asBackupError, BackupError } from '../BackupError.ts'
import { parseStoredFile, parseWalChunk, paths, renderWalChunk, type WalChunk } from './layout.ts'
import type { BackupManifest } from './manifest.ts'
import { hashFile } from './writeStored.ts'

const readBytes = 1024 * 1024

async function* decompress(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const brotli = createBrotliDecompress({ chunkSize: 256 * 1024 })
  const feeding = (async () => {
    try {
      for await (const chunk of source) {
        if (!brotli.write(chunk)) await new Promise((resolve) => brotli.once('drain', resolve))
      }
      brotli.end()
    } catch (error) {
      brotli.destroy(error as Error)
    }
  })()
  try {
    for await (const chunk of brotli) yield chunk as Buffer
    await feeding
  } finally {
    brotli.destroy()
  }
}

/**
 * The plain bytes of an encrypted file of the repository, in bounded memory. Throws BackupError for a wrong key and for
 * damage, which may be found only after the bytes before it.
 */
async function* readEncrypted(
  path: string,
  identities: readonly string[],
  isCompressed: boolean,
): AsyncGenerator<Buffer> {
  const source = createReadStream(path, { highWaterMark: readBytes }) as AsyncIterable<Buffer>
  try {
    const plain = decrypt(identities, source)
    yield* isCompressed ? decompress(plain) : plain
  } catch (error) {
    if (error instanceof WrongKeyError)
      throw new BackupError(
        `The key does not open ${path}. Use the key that was current when this backup was made.`,
        { cause: error },
      )
    const isDamaged =
      error instanceof DamagedError || /^Z_|^ERR_/.test((error as NodeJS.ErrnoException).code ?? '')
    if (isDamaged) throw new BackupError(`${path} is damaged or truncated.`, { cause: error })
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new BackupError(`${path} is missing.`, { cause: error })
    throw asBackupError(error, path)
  }
}

/**
 * The bytes of a part of a backup, decrypted and decompressed.
 * @param identities private keys `AGE-SECRET-KEY-1…`
 */
export function readPart(
  dir: string,
  manifest: BackupManifest,
  part: 'base' | 'baseManifest' | 'settings',
  identities: readonly string[],
): AsyncGenerator<Buffer> {
  return readEncrypted(join(paths.backup(dir, manifest.id), manifest.parts[part].name), identities, true)
}

/** Compares the size and the checksum of each part of a backup. Throws BackupError. Needs no key. */
export async function verifyParts(dir: string, manifest: BackupManifest): Promise<void> {
  for (const part of Object.values(manifest.parts)) {
    const path = join(paths.backup(dir, manifest.id), part.name)
    const found = await stat(path).catch(() => null)
    if (found === null) throw new BackupError(`${path} is missing.`)
    if (found.size !== part.storedBytes)
      throw new BackupError(`${path} is truncated: it has ${found.size} of ${part.storedBytes} bytes.`)
    const file = await open(path, 'r')
    try {
      if ((await hashFile(file)) !== part.sha256) throw new BackupError(`${path} is damaged.`)
    } finally {
      await file.close()
    }
  }
}

/** The versions of all files of a backup, sorted. */
export async function* readVersions(dir: string, manifest: BackupManifest): AsyncGenerator<string> {
  const input = createReadStream(join(paths.backup(dir, manifest.id), manifest.parts.files.name))
  for await (const line of createInterface({ input })) if (line !== '') yield line
}

/** The stored files of one of the 256 folders: version to name. */
export async function readShard(dir: string, shard: string): Promise<Map<string, string>> {
  const names = await readdir(paths.shard(dir, shard)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw asBackupError(error, dir)
  })
  const found = new Map<string, string>()
  for (const name of names) {
    const file = parseStoredFile(name)
    if (file) found.set(file.version, name)
  }
  return found
}

/** Reads stored files by their version. Keeps the names of one folder in memory: read versions in sorted order. */
export interface StoredFiles {
  /** The decrypted bytes; null where the repository does not have this version. */
  open(version: string): Promise<AsyncGenerator<Buffer> | null>
}

export function createStoredFiles(dir: string, identities: readonly string[]): StoredFiles {
  let shard = ''
  let names = new Map<string, string>()
  return {
    async open(version) {
      if (version.slice(0, 2) !== shard) {
        shard = version.slice(0, 2)
        names = await readShard(dir, shard)
      }
      const name = names.get(version)
      return name === undefined ? null : readEncrypted(join(paths.shard(dir, shard), name), identities, false)
    },
  }
}

/** All ranges of a log, sorted by timeline and start. Ranges can overlap. */
export async function listWal(dir: string, log: string): Promise<WalChunk[]> {
  const folder = paths.wal(dir, log)
  const timelines = await readdir(folder).catch(() => [])
  const chunks: WalChunk[] = []
  for (const name of timelines.filter((one) => /^[0-9A-F]{8}$/.test(one)).sort()) {
    const timeline = Number.parseInt(name, 16)
    for (const file of (await readdir(join(folder, name))).sort()) {
      const chunk = parseWalChunk(file, timeline)
      if (chunk) chunks.push(chunk)
    }
  }
  return chunks
}

/**
 * Selects the ranges of one timeline that continue without a gap from a position. Ranges that lie within another range are left
 * out.
 * @param chunks as from listWal
 */
export function selectContinuous(chunks: readonly WalChunk[], timeline: number, from: bigint): WalChunk[] {
  const selected: WalChunk[] = []
  let at = from
  const candidates = chunks.filter((chunk) => chunk.timeline === timeline && chunk.end > from)
  for (let index = 0; index < candidates.length;) {
    let best: WalChunk | null = null
    for (; index < candidates.length && candidates[index]!.start <= at; index++) {
      if (best === null || candidates[index]!.end > best.end) best = candidates[index]!
    }
    if (best === null) break
    if (best.end <= at) continue
    selected.push(best)
    at = best.end
  }
  return selected
}

/** The bytes of one range of the log. */
export function readWal(
  dir: string,
  log: string,
  chunk: WalChunk,
  identities: readonly string[],
): AsyncGenerator<Buffer> {
  const path = join(paths.timeline(dir, log, chunk.timeline), renderWalChunk(chunk))
  return readEncrypted(path, identities, chunk.compressed)
}
