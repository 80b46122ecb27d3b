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

/** Images of a message that are shown. The last one covers the number of the others, which the viewer shows. */
export const MAX_TILES = 6
/** Pixels of the side of a tile at most: two columns, and three, are as wide as a single image. */
const TILE = { two: 208, three: 136 }
/** Pixels of the side of a tile at least, so that a touch finds it. */
const MIN_TILE = 96

/**
 * The style of the grid of several images. Two and four images have two columns, more have three; of three images the
 * first one is large. The grid is narrower if no image fills its tile, because an image is never enlarged.
 */
export function gridStyle(images: readonly Pick<Attachment, 'width' | 'height'>[]): CSSProperties {
  const inTwo = images.length === 2 || images.length === 4
  const largest = Math.max(...images.map(({ width, height }) => Math.max(width ?? 1, height ?? 1)))
  const tile = Math.max(MIN_TILE, Math.min(inTwo ? TILE.two : TILE.three, largest))
  return { gridTemplateColumns: `repeat(${inTwo ? 2 : 3}, minmax(0, ${tile}px))` }
}

/** The style that keeps an image from being larger than its own pixels. */
export function ownSize({ width, height }: Pick<Attachment, 'width' | 'height'>): CSSProperties {
  return { maxWidth: width ?? undefined, maxHeight: height ?? undefined }
}

/**
 * Layout of an inline file: the style of its figure, the aspect ratio of its content, and whether its name is shown
 * below. Without a name it is a tile of the grid, whose figure has the aspect ratio.
 */
export interface MediaLayout {
  style: CSSProperties
  ratio?: number
  named: boolean
}

/**
 * The layout of a single image or a video; null for a file that is shown as a row. An estimate until the code that knows
 * file types is loaded.
 */
export function layoutOf(file: Measured): MediaLayout | null {
  const isVideo = file.type.startsWith('video/')
  if (!isVideo && !isMeasured(file)) return null
  const { width, height } = isVideo ? videoSize(file) : imageSize(file)
  return { style: { width }, ratio: width / height, named: true }
}

/** The layout of the tile at an index of the grid of `count` images. No number of images leaves a gap in the grid. */
export function tileLayout(index: number, count: number): MediaLayout {
  const isFirst = index === 0
  if (count === 3 && isFirst) return { style: { gridArea: 'span 2 / span 2' }, named: false }
  // As high as the image beside it, whatever its own height.
  if (count === 5 && isFirst)
    return { style: { gridColumn: 'span 2', aspectRatio: 'auto', contain: 'size' }, named: false }
  return { style: count === 4 ? { aspectRatio: 4 / 3 } : {}, named: false }
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
