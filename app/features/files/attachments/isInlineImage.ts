import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../wire/files.ts'
import { isMeasured } from './mediaLayout.ts'

type Measured = Pick<Attachment, 'type' | 'width' | 'height' | 'size'> & { thumb?: boolean }

/** Whether a file is shown inline: an image whose dimensions are known, so that its space can be reserved. */
export function isInlineImage(file: Measured): boolean {
  return fileKindOf(file.type) === 'picture' && file.height !== null && isMeasured(file)
}

/** In display order: images first. */
export function splitByImage<File extends Measured>(
  files: readonly File[],
): { images: File[]; others: File[] } {
  const images = files.filter(isInlineImage)
  return { images, others: files.filter((file) => !images.includes(file)) }
}
