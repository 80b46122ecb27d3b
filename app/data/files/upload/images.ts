import { sourceOfBlob } from '../../../../wire/media/ByteSource.ts'
import { isAnimated } from '../../../../wire/media/isAnimated.ts'

/** Pixels of a thumbnail's longer side: twice the displayed size, for high-density screens. */
const THUMB_PIXELS = 720
/** Smaller pictures are their own thumbnail. */
const SMALL_BYTES = 150_000

/** Types that other browsers can't decode: they are converted. */
const CONVERTED = new Set(['image/heic', 'image/heif', 'image/tiff', 'image/bmp'])

export interface MeasuredImage {
  blob: Blob
  width: number
  height: number
  thumb: Blob | null
}

/**
 * Measures a picture and creates its thumbnail; null if this browser can't decode it.
 * @param isClean false: its metadata could not be removed, so that it is converted, unless it is animated
 */
export async function measureImage(blob: Blob, isClean: boolean): Promise<MeasuredImage | null> {
  if (!blob.type.startsWith('image/') || blob.type === 'image/svg+xml') return null
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(blob)
  } catch {
    return null
  }
  try {
    const { width, height } = bitmap
    const moves = await isAnimated(sourceOfBlob(blob))
    const isConverted = !moves && (!isClean || CONVERTED.has(blob.type))
    // Only JPEG cannot be transparent.
    const type = /^image\/(png|webp)$/.test(blob.type) ? blob.type : 'image/jpeg'
    const drawn = isConverted ? await draw(bitmap, width, height, type, 0.9) : blob
    const small = Math.max(width, height) <= THUMB_PIXELS && drawn.size <= SMALL_BYTES
    // A still thumbnail would hide that it is animated.
    const thumb = small || moves ? null : await drawThumb(bitmap, blob.type)
    return { blob: drawn, width, height, thumb }
  } finally {
    bitmap.close()
  }
}

/** Draws a thumbnail. */
export function drawThumb(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const scale = Math.min(1, THUMB_PIXELS / Math.max(bitmap.width, bitmap.height))
  const width = Math.max(1, Math.round(bitmap.width * scale))
  const height = Math.max(1, Math.round(bitmap.height * scale))
  return draw(bitmap, width, height, type === 'image/jpeg' ? 'image/jpeg' : 'image/webp', 0.8)
}

function draw(
  bitmap: ImageBitmap,
  width: number,
  height: number,
  type: string,
  quality: number,
): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.drawImage(bitmap, 0, 0, width, height)
  return canvas.convertToBlob({ type, quality })
}
