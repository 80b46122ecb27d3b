import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createBatchWriter } from '../bytes/createBatchWriter.ts'
import { spaceCheckInterval } from '../bytes/createByteStore.ts'
import type { Checksum } from './checksum.ts'
import type { OpenUpload, UploadStore } from './createUploads.ts'
import type { UploadChunk } from './openChunk.ts'
import { tusErrors } from './TusError.ts'

/** Bytes after which a piece that is still coming is made safe, so that a crash costs no more than these. */
const syncInterval = 32 * 1024 * 1024

/**
 * Appends a piece, `limit` bytes at most, and makes it safe on disk. Answers with the offset that the upload has then
 * and the MD5 of what lies before it, where that is known. The record has the same offset, except where that is the end of the file: what is complete is noted by its object's row
 * alone, so that nobody takes an upload whose finishing failed for one that is done.
 *
 * On a throw (too long, 460, a full disk) the upload stands where its record says, its file cut off there.
 */
export async function receiveChunk(
  uploads: UploadStore,
  upload: OpenUpload,
  chunk: UploadChunk,
  o: { limit: number; checksum: Checksum | null; requireSpace: (size: number) => Promise<void> },
): Promise<{ offset: number; hash: Hash | null }> {
  const { record } = upload
  const start = record.offset
  const file = await open(upload.path, 'r+')
  const writer = createBatchWriter(file, start)
  try {
    await file.truncate(start)
    const hash = upload.hash?.copy() ?? null
    let offset = start
    let checked = start
    const sync = async (): Promise<void> => {
      if (offset === record.offset) return
      await writer.finish()
      if (offset === record.length) return file.datasync()
      await uploads.save(upload, { offset }, () => file.datasync())
      upload.hash = hash?.copy() ?? null
    }
    for await (const bytes of chunk.content) {
      if (offset + bytes.length - start > o.limit) throw tusErrors.tooLarge()
      if (offset - checked >= spaceCheckInterval) {
        await o.requireSpace(bytes.length)
        checked = offset
      }
      hash?.update(bytes)
      o.checksum?.hash.update(bytes)
      await writer.add(bytes)
      offset += bytes.length
      // Bytes that a checksum has yet to prove are not kept on the way.
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
