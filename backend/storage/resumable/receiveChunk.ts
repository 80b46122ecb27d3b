import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createBatchWriter } from '../bytes/createBatchWriter.ts'
import type { Checksum } from './checksum.ts'
import type { OpenUpload, UploadStore } from './createUploadStore.ts'
import type { UploadChunk } from './openChunk.ts'
import { tusErrors } from './TusError.ts'

/** Bytes between syncs during a chunk, so that a crash loses no more than these. */
const syncInterval = 32 * 1024 * 1024

/**
 * Appends a chunk of at most `limit` bytes and syncs it. Returns the new offset of the upload and the MD5 of all bytes
 * before it, if known. The record has the same offset, except at the end of the file: completeness is recorded only by
 * the object's row, so that an upload whose commit failed does not count as complete.
 *
 * On a throw (too long, 460, a full disk) the file is truncated to the offset of the record.
 */
export async function receiveChunk(
  uploads: UploadStore,
  upload: OpenUpload,
  chunk: UploadChunk,
  o: { limit: number; checksum: Checksum | null; countWritten: (size: number) => Promise<void> },
): Promise<{ offset: number; hash: Hash | null }> {
  const { record } = upload
  const start = record.offset
  const file = await open(upload.path, 'r+')
  const writer = createBatchWriter(file, start)
  try {
    await file.truncate(start)
    const hash = upload.hash?.copy() ?? null
    let offset = start
    const sync = async (): Promise<void> => {
      if (offset === record.offset) return
      await writer.finish()
      if (offset === record.length) return file.datasync()
      await uploads.save(upload, { offset }, () => file.datasync())
      upload.hash = hash?.copy() ?? null
    }
    for await (const bytes of chunk.content) {
      if (offset + bytes.length - start > o.limit) throw tusErrors.tooLarge()
      await o.countWritten(bytes.length)
      hash?.update(bytes)
      o.checksum?.hash.update(bytes)
      await writer.add(bytes)
      offset += bytes.length
      // Bytes whose checksum is not verified yet are not recorded.
      if (!o.checksum && offset - record.offset >= syncInterval) await sync()
    }
    if (o.checksum) {
      if (!chunk.isComplete()) throw tusErrors.interrupted()
      o.checksum.compare()
    }
    await sync()
    return { offset, hash }
  } catch (error) {
    await writer.abandon()
    await file.truncate(record.offset).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}
