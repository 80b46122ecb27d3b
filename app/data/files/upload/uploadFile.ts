import type { Uuid } from '../../../../wire/linnet.ts'
import { failureFrom } from '../../failures/failures.ts'
import type { OutboxFile } from '../../mutations/mutation.ts'
import type { UploadResult, UploadControl } from '../../mutations/uploads/fileUploads.ts'
import { filePath } from '../filePath.ts'
import { fileGone, fileTooLarge } from './fileFailures.ts'
import { setProgress } from './progress.ts'
import type { Progress } from './progress.ts'
import { uploadBytes } from './uploadBytes.ts'

export { abandonUpload } from './uploadBytes.ts'

/** Tells the other tabs how far the upload of a file is. */
type Tell = (file: Uuid, progress: Progress) => void

/** Milliseconds between two words to other tabs. */
const TELL_EVERY = 250

/**
 * Uploads a file and its thumbnail beside each other. One that was begun goes on where the server has it; what is there
 * already is fine, for the id is ours.
 */
export async function uploadFile(
  channelId: Uuid,
  file: OutboxFile,
  { tell, ...how }: UploadControl & { tell: Tell },
): Promise<UploadResult> {
  // Its bytes could not be kept, and went with the page that had them.
  if (file.blob.size !== file.size) return { ok: false, failure: fileGone(file.name) }
  const { signal } = how
  let told = -TELL_EVERY
  let last = file.sent ?? 0
  const say = (sent: number, going: boolean) => {
    last = sent
    setProgress(file.id, { sent, going })
    const now = performance.now()
    if (going && now - told < TELL_EVERY) return
    told = now
    tell(file.id, { sent, going })
  }
  say(last, true)
  const path = (what: 'file' | 'thumb') => filePath(channelId, file.id, what)
  // Of a file that the server has begun to take the thumbnail is there.
  const thumb = file.url ? null : file.thumb
  try {
    const [small, whole] = await Promise.all([
      thumb && uploadBytes({ path: path('thumb'), blob: thumb, type: thumb.type, signal }),
      uploadBytes({
        ...how,
        path: path('file'),
        blob: file.blob,
        type: file.type,
        url: file.url ?? null,
        progress: (sent) => say(sent, true),
      }),
    ])
    if (!whole.ok && whole.failure.name === 'file_gone') return { ok: false, failure: fileGone(file.name) }
    if (!whole.ok && whole.failure.name === 'file_too_large') {
      return { ...whole, failure: fileTooLarge(file.name, null) }
    }
    return whole.ok && small ? small : whole
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  } finally {
    say(last, false)
  }
}
