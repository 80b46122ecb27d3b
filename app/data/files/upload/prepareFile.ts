import { success, failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import type { OutboxFile } from '../../mutations/mutation.ts'
import { fileUnreadable, fileTooLarge } from './fileFailures.ts'
import { fileName } from './fileName.ts'
import { measureVideo } from './videos.ts'
import { maxFileSize, uploadChunkSize } from './maxFileSize.ts'
import { measureImage } from './images.ts'
import { removeMetadata } from './removeMetadata.ts'

/** A file to upload: pictures and videos are measured and have a thumbnail. */
export type PreparedFile = Omit<OutboxFile, 'uploaded'>

export interface Preparation {
  file: PreparedFile
  /** The place where a picture or video was taken could not be removed, or Linnet does not know its format. */
  mayHaveLocation: boolean
}

/**
 * Prepares a chosen file for uploading: removes the metadata of pictures and videos. Fails if it is too large or can't be
 * read. The bytes stay on the disk until the file is sent. Only a converted picture is in memory.
 */
export async function prepareFile(file: File): Promise<Outcome<Preparation>> {
  if (file.size > uploadChunkSize) {
    const limit = await maxFileSize()
    if (file.size > limit) return { ok: false, failure: fileTooLarge(file.name, limit) }
  }
  try {
    // Reading a byte fails if the file was moved or changed on the disk.
    await file.slice(0, 1).arrayBuffer()
  } catch {
    return { ok: false, failure: fileUnreadable(file.name) }
  }
  try {
    const { blob, mayHaveLocation, measured } = await measureClean(file)
    return success({
      mayHaveLocation,
      file: {
        id: crypto.randomUUID(),
        name: fileName(file.name, blob.type !== file.type ? blob.type : null),
        type: blob.type || 'application/octet-stream',
        size: blob.size,
        width: measured?.width ?? null,
        height: measured?.height ?? null,
        blob,
        thumb: measured?.thumb ?? null,
      },
    })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

interface Measured {
  blob: Blob
  mayHaveLocation: boolean
  measured: { width: number; height: number; thumb: Blob | null } | null
}

/** Removes the metadata of a picture or video and measures it. */
async function measureClean(file: File): Promise<Measured> {
  const clean = await removeMetadata(file, file.name)
  const measured = await measure(clean.blob, clean.isComplete)
  if (measured) return measured
  // A browser that could decode it before proves that the removal has damaged it.
  const original = clean.blob === file ? null : await measure(file, false)
  return original ?? { blob: clean.blob, mayHaveLocation: !clean.isComplete, measured: null }
}

/** Null if this browser can't decode it. A picture that is converted has no metadata. */
async function measure(blob: Blob, isClean: boolean): Promise<Measured | null> {
  const image = await measureImage(blob, isClean)
  if (image) return { blob: image.blob, mayHaveLocation: !isClean && image.blob === blob, measured: image }
  const video = await measureVideo(blob)
  return video && { blob, mayHaveLocation: !isClean, measured: video }
}
