import type { CSSProperties } from 'react'
import type { Attachment } from '../../../../wire/linnet.ts'

type Measured = Pick<Attachment, 'type' | 'width' | 'height' | 'size'> & { thumb?: boolean }

/** Bytes of a picture that is drawn without a thumbnail: nobody fetches half a gigabyte by scrolling past. */
const MAX_BYTES_WITHOUT_THUMBNAIL = 16 * 1024 * 1024

/** The place a picture takes alone, in pixels: its own proportions, within what a conversation bears. */
export function imageSize(file: Pick<Attachment, 'width' | 'height'>): { width: number; height: number } {
  const width = Math.max(1, file.width ?? 1)
  const height = Math.max(1, file.height ?? 1)
  const scale = Math.min(1, 420 / width, 340 / height)
  // A thin or tiny picture keeps a place wide enough for its name, and is drawn in the middle of it.
  return { width: Math.round(Math.max(160, width * scale)), height: Math.round(Math.max(48, height * scale)) }
}

/**
 * The style of a picture's figure. Several share rows of one height, each as wide as its proportions ask (within
 * bounds, the rest is cut off), and together as wide as there is room.
 */
export function imageStyle(file: Pick<Attachment, 'width' | 'height'>, isOnly: boolean): CSSProperties {
  const box = imageSize(file)
  if (isOnly) return { width: box.width }
  const ratio = aspectRatio(file, false)
  return { flex: `${ratio} 1 ${Math.round(ratio * 140)}px`, maxWidth: Math.round(ratio * 210) }
}

/** Width by height of the place in which a picture is drawn. */
export function aspectRatio(file: Pick<Attachment, 'width' | 'height'>, isOnly: boolean): number {
  const box = imageSize(file)
  if (isOnly) return box.width / box.height
  return Math.min(2.2, Math.max(0.6, (file.width || 1) / (file.height || 1)))
}

/** Where a file is drawn: the figure's style, the width by height of what is in it, and whether its name stands below. */
export interface MediaLayout {
  style: CSSProperties
  ratio: number
  named: boolean
}

/**
 * Where a file is drawn that has a place of its own; null for one that is a line. A guess, for the moment before what
 * knows the kinds of files is here.
 */
export function layoutOf(file: Measured, isOnly: boolean): MediaLayout | null {
  if (isMeasured(file))
    return { style: imageStyle(file, isOnly), ratio: aspectRatio(file, isOnly), named: isOnly }
  if (!file.type.startsWith('video/')) return null
  const { width, height } = videoSize(file)
  return { style: { width }, ratio: width / height, named: true }
}

/** Whether a picture's size is known, so that its place can be kept, and is one to be fetched unasked. */
export const isMeasured = ({ type, width, thumb, size }: Measured): boolean =>
  type.startsWith('image/') && width !== null && (thumb !== false || size <= MAX_BYTES_WITHOUT_THUMBNAIL)

/** The place a film takes: its own proportions where they are known, else those of most. */
export function videoSize({ width, height }: Pick<Attachment, 'width' | 'height'>): {
  width: number
  height: number
} {
  if (!width || !height) return { width: 420, height: 236 }
  // Unlike a picture it is drawn larger than it is: its controls want room.
  return imageSize({ width: width * 100, height: height * 100 })
}
