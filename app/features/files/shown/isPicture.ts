import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../wire/linnet.ts'
import { isMeasured } from './pictureBox.ts'

type Measured = Pick<Attachment, 'type' | 'width' | 'height' | 'size'> & { thumb?: boolean }

/** Whether a file is drawn in place: a picture whose size is known, so that its place can be kept. */
export function isPicture(file: Measured): boolean {
  return fileKindOf(file.type) === 'picture' && file.height !== null && isMeasured(file)
}

/** In its order of showing: pictures first, together. */
export function inOrder<File extends Measured>(files: readonly File[]): { pictures: File[]; others: File[] } {
  const pictures = files.filter(isPicture)
  return { pictures, others: files.filter((file) => !pictures.includes(file)) }
}
