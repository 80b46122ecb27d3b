import { open, readFile, rename } from 'node:fs/promises'

/** What is known of an unfinished upload; kept as JSON beside its bytes. */
export interface UploadRecord {
  version: string
  bucket: string
  name: string
  /** Bytes of the whole file; null while the client has not said. */
  length: number | null
  /** Bytes that are safe on disk. What the file holds beyond them came after the last sync and is cut off. */
  offset: number
  /** Whose it is: the `sub` of a token, else the role. Nobody else can go on with it. */
  by: string
  /** What its number and bytes are counted for. */
  account: string
  mimetype: string
  cacheControl: string
  /** `Upload-Metadata` as it came. */
  metadata: string
  /** Milliseconds since 1970. */
  created: number
}

/**
 * Replaces the file at `path` in one step, once its content and what `first` waits for are on disk. Both are synced at
 * the same time, which costs little more than one of them.
 */
export async function writeRecord(
  path: string,
  record: UploadRecord,
  first?: () => Promise<void>,
): Promise<void> {
  const fresh = `${path}.new`
  const file = await open(fresh, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(record))
    await Promise.all([file.datasync(), first?.()])
  } finally {
    await file.close()
  }
  await rename(fresh, path)
}

/** Null where the file is missing or no record. */
export async function readRecord(path: string): Promise<UploadRecord | null> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as UploadRecord | null
    return record && Number.isSafeInteger(record.offset) && Number.isSafeInteger(record.created)
      ? record
      : null
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
