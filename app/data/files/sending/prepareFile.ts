import { LIMITS } from '../../../../wire/linnet.ts'
import { done, failureFrom, failureNamed } from '../../failures.ts'
import type { Outcome } from '../../failures.ts'
import type { OutboxFile } from '../../sync/outbox/deeds.ts'
import { measurePicture } from './pictures.ts'
import { stripMetadata } from './stripMetadata.ts'

/** A file made ready on this device: pictures measured, stripped of location data, with a thumbnail. */
export type PreparedFile = Omit<OutboxFile, 'uploaded'>

/** Reads, measures and cleans a picked file. Refuses what is too large, with a sentence. */
export async function prepareFile(file: File): Promise<Outcome<PreparedFile>> {
  if (file.size > LIMITS.file) return { ok: false, failure: failureNamed('file_too_large') }
  try {
    const clean = await stripMetadata(file)
    const picture = await measurePicture(clean)
    // Bytes are copied: the file on disk may change or go before they are sent.
    const blob = new Blob([await (picture?.blob ?? clean).arrayBuffer()], {
      type: (picture?.blob ?? clean).type,
    })
    return done({
      id: crypto.randomUUID(),
      name: shownName(file.name, blob.type !== file.type ? blob.type : null),
      type: blob.type || 'application/octet-stream',
      size: blob.size,
      width: picture?.width ?? null,
      height: picture?.height ?? null,
      blob,
      thumb: picture?.thumb ?? null,
    })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** A name that the database takes: one line, no path; with the new ending where the kind has changed. */
function shownName(name: string, becameType: string | null): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const plain = name.replace(/[\u0000-\u001F\u007F-\u009F/\\]/g, ' ').trim() || 'file'
  const ended = becameType === 'image/jpeg' ? `${plain.replace(/\.[^.]*$/, '')}.jpg` : plain
  return ended.length <= 255 ? ended : `${ended.slice(0, 235)}${ended.slice(-20)}`
}
