import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../wire/linnet.ts'
import { isMeasured } from './mediaLayout.ts'

type Measured = Pick<Attachment, 'type' | 'width' | 'height' | 'size'> & { thumb?: boolean }

/** Whether a file is drawn in place: a picture whose size is known, so that its place can be kept. */
export function isInlineImage(file: Measured): boolean {
  return fileKindOf(file.type) === 'picture' && file.height !== null && isMeasured(file)
}

/** In its order of showing: pictures first, together. */
export function splitByImage<File extends Measured>(
  files: readonly File[],
): { images: File[]; others: File[] } {
  const images = files.filter(isInlineImage)
  return { images, others: files.filter((file) => !images.includes(file)) }
}
