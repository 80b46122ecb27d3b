import { success, failureFrom } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import type { OutboxFile } from '../../mutations/mutation.ts'
import { fileUnreadable, fileTooLarge } from './fileFailures.ts'
import { measureVideo } from './videos.ts'
import { maxFileSize, uploadChunkSize } from './maxFileSize.ts'
import { measureImage } from './images.ts'
import { stripMetadata } from './stripMetadata.ts'

/** A file to upload: pictures and videos are measured and have a thumbnail; pictures have no location data. */
export type PreparedFile = Omit<OutboxFile, 'uploaded'>

/**
 * Prepares a chosen file for uploading. Fails if it is too large or can't be read. Its bytes stay on the disk until it is
 * sent, except those of pictures.
 */
export async function prepareFile(file: File): Promise<Outcome<PreparedFile>> {
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
    const clean = await stripMetadata(file)
    const image = await measureImage(clean)
    const measured = image ?? (await measureVideo(clean))
    const blob = image?.blob ?? clean
    return success({
      id: crypto.randomUUID(),
      name: shownName(file.name, blob.type !== file.type ? blob.type : null),
      type: blob.type || 'application/octet-stream',
      size: blob.size,
      width: measured?.width ?? null,
      height: measured?.height ?? null,
      blob,
      thumb: measured?.thumb ?? null,
    })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** A name that the database accepts: one line, no path; with another extension if the type was converted. */
function shownName(name: string, becameType: string | null): string {
  // oxlint-disable-next-line no-control-regex -- control characters are removed
  const plain = name.replace(/[\u0000-\u001F\u007F-\u009F/\\]/g, ' ').trim() || 'file'
  const ended = becameType === 'image/jpeg' ? `${plain.replace(/\.[^.]*$/, '')}.jpg` : plain
  return ended.length <= 255 ? ended : `${ended.slice(0, 235)}${ended.slice(-20)}`
}
