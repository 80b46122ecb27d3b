import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createBatchWriter } from '../bytes/createBatchWriter.ts'
import { roomCheckBytes } from '../bytes/createByteStore.ts'
import type { Checksum } from './checksum.ts'
import type { OpenUpload, Uploads } from './createUploads.ts'
import type { Piece } from './openPiece.ts'
import { tusFailures } from './TusFailure.ts'

/** Bytes after which a piece that is still coming is made safe, so that a crash costs no more than these. */
const stride = 32 * 1024 * 1024

/**
 * Appends a piece, `limit` bytes at most, and makes it safe on disk. Answers with the offset that the upload has then
 * and the MD5 of what lies before it, where that is known. The record has the same offset, except where that is the end of the file: what is complete is noted by its object's row
 * alone, so that nobody takes an upload whose finishing failed for one that is done.
 *
 * On a throw (too long, 460, a full disk) the upload stands where its record says, its file cut off there.
 */
export async function receivePiece(
  uploads: Uploads,
  upload: OpenUpload,
  piece: Piece,
  o: { limit: number; checksum: Checksum | null; requireRoom: (size: number) => Promise<void> },
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
    const settle = async (): Promise<void> => {
      if (offset === record.offset) return
      await writer.finish()
      if (offset === record.length) return file.datasync()
      await uploads.save(upload, { offset }, () => file.datasync())
      upload.hash = hash?.copy() ?? null
    }
    for await (const chunk of piece.content) {
      if (offset + chunk.length - start > o.limit) throw tusFailures.tooLarge()
      if (offset - checked >= roomCheckBytes) {
        await o.requireRoom(chunk.length)
        checked = offset
      }
      hash?.update(chunk)
      o.checksum?.hash.update(chunk)
      await writer.add(chunk)
      offset += chunk.length
      // Bytes that a checksum has yet to prove are not kept on the way.
      if (!o.checksum && offset - record.offset >= stride) await settle()
    }
    if (o.checksum) {
      if (!piece.isWhole()) throw tusFailures.brokenOff()
      o.checksum.compare()
    }
    await settle()
    return { offset, hash }
  } catch (error) {
    await writer.abandon()
    await file.truncate(record.offset).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}
