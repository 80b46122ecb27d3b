import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success, type Outcome } from '../failures/failures.ts'
import type { PreparedFile } from '../files/upload/prepareFile.ts'
import { onProgress, progressOf } from '../files/upload/progress.ts'
import { uploadFile } from '../files/upload/uploadFile.ts'

/** Ends and observes uploads. */
export interface UploadWatch {
  /** Aborted with `removed`: what was uploaded is deleted. */
  signal: AbortSignal
  /** @param share between 0 and 1, of all bytes */
  onProgress: (share: number) => void
}

/** Addresses of uploads that this page has begun: the next attempt continues there. */
const begun = new Map<Uuid, string | null>()

/**
 * Uploads files of a scheduled message; returns them as its commands take them. Fails with the first failure; the files
 * can be passed again.
 */
export async function uploadScheduledFiles(
  channel: Uuid,
  files: readonly PreparedFile[],
  { signal, onProgress: report }: UploadWatch,
): Promise<Outcome<NonNullable<Commands['schedule_message']['args']['attachments']>>> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (const file of files) {
    const done = before
    const unsubscribe = onProgress(file.id, () => {
      report(Math.min(1, (done + (progressOf(file.id)?.sent ?? 0)) / Math.max(1, total)))
    })
    const result = await uploadFile(
      channel,
      { ...file, uploaded: false, url: begun.get(file.id) ?? null },
      { signal, onUrl: (url) => begun.set(file.id, url), publish: () => {} },
    ).finally(unsubscribe)
    if (!result.ok) return result
    before += file.size
  }
  for (const { id } of files) begun.delete(id)
  return success(
    files.map(({ id, name, width, height, thumb }) => ({ id, name, width, height, thumb: thumb !== null })),
  )
}
