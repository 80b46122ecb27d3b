import type { CSSProperties } from 'react'
import { fileKindOf } from '../../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../../wire/files.ts'

type Measured = Pick<Attachment, 'type' | 'width' | 'height' | 'size'> & { thumb?: boolean }

/** Maximum bytes of an inline image without a thumbnail: scrolling past must not fetch half a gigabyte. */
const MAX_BYTES_WITHOUT_THUMBNAIL = 16 * 1024 * 1024

/** The size of a single image in pixels: its own proportions, within the maximum for a message. */
export function imageSize(file: Pick<Attachment, 'width' | 'height'>): { width: number; height: number } {
  const width = Math.max(1, file.width ?? 1)
  const height = Math.max(1, file.height ?? 1)
  const scale = Math.min(1, 420 / width, 340 / height)
  // A narrow or tiny image gets a box wide enough for its name and is centred in it.
  return { width: Math.round(Math.max(160, width * scale)), height: Math.round(Math.max(48, height * scale)) }
}

/**
 * The style of an image's figure. Several images share rows of one height: each as wide as its proportions need
 * (cropped beyond the limits), together as wide as the message.
 */
export function imageStyle(file: Pick<Attachment, 'width' | 'height'>, isOnly: boolean): CSSProperties {
  const box = imageSize(file)
  if (isOnly) return { width: box.width }
  const ratio = aspectRatio(file, false)
  return { flex: `${ratio} 1 ${Math.round(ratio * 140)}px`, maxWidth: Math.round(ratio * 210) }
}

/** Width divided by height of the box of an image. */
export function aspectRatio(file: Pick<Attachment, 'width' | 'height'>, isOnly: boolean): number {
  const box = imageSize(file)
  if (isOnly) return box.width / box.height
  return Math.min(2.2, Math.max(0.6, (file.width || 1) / (file.height || 1)))
}

/**
 * Layout of an inline file: the style of its figure, the aspect ratio of its content, and whether its name is shown
 * below.
 */
export interface MediaLayout {
  style: CSSProperties
  ratio: number
  named: boolean
}

/**
 * The layout of an inline file; null for a file that is shown as a row. An estimate until the code that knows file
 * types is loaded.
 */
export function layoutOf(file: Measured, isOnly: boolean): MediaLayout | null {
  if (isMeasured(file))
    return { style: imageStyle(file, isOnly), ratio: aspectRatio(file, isOnly), named: isOnly }
  if (!file.type.startsWith('video/')) return null
  const { width, height } = videoSize(file)
  return { style: { width }, ratio: width / height, named: true }
}

/**
 * Whether the dimensions are known, so that space can be reserved, and the file is small enough to be fetched without
 * a click.
 */
export const isMeasured = ({ type, width, thumb, size }: Measured): boolean =>
  type.startsWith('image/') && width !== null && (thumb !== false || size <= MAX_BYTES_WITHOUT_THUMBNAIL)

/** The size of a video: its own proportions if they are known, else 16:9. */
export function videoSize({ width, height }: Pick<Attachment, 'width' | 'height'>): {
  width: number
  height: number
} {
  if (!width || !height) return { width: 420, height: 236 }
  // Unlike an image it is scaled up: its controls need space.
  return imageSize({ width: width * 100, height: height * 100 })
}

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
