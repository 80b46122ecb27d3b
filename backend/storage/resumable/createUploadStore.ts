import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errors } from '../errors.ts'
import { createUploadLock } from './createUploadLock.ts'
import type { UploadLock } from './createUploadLock.ts'
import { readRecord, writeRecord } from './UploadRecord.ts'
import type { UploadRecord } from './UploadRecord.ts'
import { syncFolder } from '../../runtime/durableFiles.ts'

/** An unfinished upload. Only the holder of its lock changes it. */
export interface OpenUpload {
  record: UploadRecord
  /** The file with the bytes. */
  path: string
  lock: UploadLock
  /** MD5 of the bytes up to `record.offset`; null after a restart, when the file has to be read again. */
  hash: Hash | null
  /** The result of committing the object's row is unknown: the bytes must not change until it is known. */
  isUncertain: boolean
}

export interface UploadStore {
  /** Throws SlowDown where the account exceeds the limits of open uploads. Null means no limits. */
  create(record: UploadRecord, limits: { number: number; bytes: number } | null): Promise<OpenUpload>
  find(version: string): OpenUpload | null
  /** Writes a change of the record, after `first`: the bytes up to an offset are synced before the offset. */
  save(
    upload: OpenUpload,
    change: Partial<Pick<UploadRecord, 'offset' | 'length'>>,
    first?: () => Promise<void>,
  ): Promise<void>
  remove(upload: OpenUpload): Promise<void>
  versions(): string[]
  isExpired(upload: OpenUpload): boolean
  /** Milliseconds since 1970 at which an upload expires. */
  expiryOf(record: UploadRecord): number
  /**
   * Removes expired uploads that no request is using, and returns how many.
   * @param settle resolves an uncertain upload, under its lock, and may remove it; where it rejects the upload stays for
   * the next sweep
   */
  sweep(settle: (upload: OpenUpload) => Promise<void>): Promise<number>
}

const isVersion = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Lifetime of an unfinished upload, as on hosted. */
const lifetimeMs = 24 * 60 * 60 * 1000

/**
 * The unfinished uploads in `dir`, which is created where missing: each has a file of bytes and a record beside it,
 * both named by the version of the future object. Removes files without their counterpart, left by a crash.
 * @param now milliseconds since 1970
 */
export async function createUploadStore(dir: string, now: () => number): Promise<UploadStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const uploads = new Map<string, OpenUpload>()
  const recordPath = (version: string): string => join(dir, `${version}.json`)
  const upload = (record: UploadRecord): OpenUpload => ({
    record,
    path: join(dir, record.version),
    lock: createUploadLock(),
    hash: record.offset === 0 ? createHash('md5') : null,
    isUncertain: false,
  })

  const files = new Set(await readdir(dir))
  for (const file of files) {
    const record = isVersion.test(file) ? await readRecord(recordPath(file)) : null
    if (record?.version === file) uploads.set(file, upload(record))
  }
  for (const file of files) {
    if (!uploads.has(file.replace(/\.json$/, ''))) await rm(join(dir, file), { force: true })
  }

  const removeFiles = async (version: string): Promise<void> => {
    // The record is removed first: bytes without a record are removed at the next start.
    await rm(recordPath(version), { force: true })
    await rm(join(dir, version), { force: true })
  }

  const store: UploadStore = {
    async create(record, limits) {
      if (limits) {
        let number = 1
        let bytes = record.length ?? 0
        for (const other of uploads.values()) {
          if (other.record.account !== record.account || store.isExpired(other)) continue
          number++
          bytes += other.record.length ?? other.record.offset
        }
        if (number > limits.number || bytes > limits.bytes) throw errors.tooManyUploads()
      }
      const created = upload(record)
      uploads.set(record.version, created)
      try {
        await (await open(created.path, 'wx', 0o600)).close()
        await writeRecord(recordPath(record.version), record)
        await syncFolder(dir)
        return created
      } catch (error) {
        uploads.delete(record.version)
        await rm(`${recordPath(record.version)}.new`, { force: true })
        await removeFiles(record.version)
        throw error
      }
    },
    find: (version) => uploads.get(version) ?? null,
    async save({ record }, change, first) {
      await writeRecord(recordPath(record.version), { ...record, ...change }, first)
      Object.assign(record, change)
    },
    async remove({ record }) {
      uploads.delete(record.version)
      await removeFiles(record.version)
    },
    versions: () => [...uploads.keys()],
    expiryOf: (record) => record.created + lifetimeMs,
    isExpired: ({ record }) => now() > store.expiryOf(record),
    async sweep(settle) {
      let removed = 0
      for (const one of uploads.values()) {
        if (!store.isExpired(one) || one.lock.isHeld()) continue
        const unlock = await one.lock.acquire(() => {})
        try {
          if (one.isUncertain) await settle(one).catch(() => {})
          if (one.isUncertain) continue
          await store.remove(one)
          removed++
        } finally {
          unlock()
        }
      }
      return removed
    },
  }
  return store
}
