import type { Uuid } from '../../../../wire/scalars.ts'
import { failureFrom } from '../../failures/failures.ts'
import type { OutboxFile } from '../../mutations/mutation.ts'
import type { UploadResult, UploadControl } from '../../mutations/uploads/fileUploads.ts'
import { filePath } from '../filePath.ts'
import { fileUnreadable, fileTooLarge } from './fileFailures.ts'
import { setProgress } from './progress.ts'
import type { Progress } from './progress.ts'
import { uploadBytes } from './uploadBytes.ts'

export { abandonUpload } from './uploadBytes.ts'

/** Publishes the progress of an upload to the other tabs. */
type PublishProgress = (file: Uuid, progress: Progress) => void

/** Minimum interval (ms) of publishing progress to other tabs. */
const PUBLISH_INTERVAL_MS = 250

/**
 * Uploads a file and its thumbnail in parallel, and resumes an upload that was begun. An existing object is no error,
 * since its path contains the id of this upload.
 */
export async function uploadFile(
  channelId: Uuid,
  file: OutboxFile,
  { publish, ...control }: UploadControl & { publish: PublishProgress },
): Promise<UploadResult> {
  // Its bytes could not be stored, and were lost with the page that had them.
  if (file.blob.size !== file.size) return { ok: false, failure: fileUnreadable(file.name) }
  const { signal } = control
  let publishedAt = -PUBLISH_INTERVAL_MS
  let last = file.sent ?? 0
  const report = (sent: number, isRunning: boolean) => {
    last = sent
    setProgress(file.id, { sent, isRunning })
    const now = performance.now()
    if (isRunning && now - publishedAt < PUBLISH_INTERVAL_MS) return
    publishedAt = now
    publish(file.id, { sent, isRunning })
  }
  report(last, true)
  const path = (what: 'file' | 'thumb') => filePath(channelId, file.id, what)
  // The thumbnail of a file whose upload was created is uploaded already.
  const thumb = file.url ? null : file.thumb
  try {
    const [small, whole] = await Promise.all([
      thumb && uploadBytes({ path: path('thumb'), blob: thumb, type: thumb.type, signal }),
      uploadBytes({
        ...control,
        path: path('file'),
        blob: file.blob,
        type: file.type,
        url: file.url ?? null,
        progress: (sent) => report(sent, true),
      }),
    ])
    if (!whole.ok && whole.failure.name === 'file_unreadable')
      return { ok: false, failure: fileUnreadable(file.name) }
    if (!whole.ok && whole.failure.name === 'file_too_large') {
      return { ...whole, failure: fileTooLarge(file.name, null) }
    }
    return whole.ok && small ? small : whole
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  } finally {
    report(last, false)
  }
}
