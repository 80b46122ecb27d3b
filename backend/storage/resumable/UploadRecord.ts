import { open, readFile, rename } from 'node:fs/promises'

/** The state of an unfinished upload, stored as JSON beside its bytes. */
export interface UploadRecord {
  version: string
  bucket: string
  name: string
  /** Bytes of the whole file; null while the client has not declared it. */
  length: number | null
  /** Synced bytes. Further bytes of the file were written after the last sync and are truncated. */
  offset: number
  /** The owner: the `sub` of a token, else the role. Nobody else can resume it. */
  by: string
  /** The account whose limits on uploads it counts against. */
  account: string
  mimetype: string
  cacheControl: string
  /** `Upload-Metadata` as received. */
  metadata: string
  /** Milliseconds since 1970. */
  created: number
}

/**
 * Replaces the file at `path` atomically, after its content and the work of `first` are synced. Both are synced
 * concurrently, which costs little more than one of them.
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

/** Null where the file is missing or invalid. */
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
