import { LIMITS } from '../../../wire/limits.ts'
import { countPixels } from '../../data/files/download/countPixels.ts'
import { stripMetadata } from '../../data/files/upload/stripMetadata.ts'
import { isAnimated } from '../members/avatar/isAnimated.ts'
import { openPicture } from '../members/avatar/openPicture.ts'

/** Pixels of the longer side: emoji are displayed at 22 to 40, on dense screens at three times as many. */
const EMOJI_PIXELS = 128
/** Maximum pixels of an animated image, which is stored as it is. */
const MAX_ANIMATED_PIXELS = 512 * 512
const ANIMATED_TYPES = new Set(['image/gif', 'image/png', 'image/webp'])

/**
 * An image of a file for an emoji: of at most 128 pixels, without metadata, as WebP or PNG. An animated one stays as it
 * is. Null if it can't be used: no image, or an animated one of more than 256 KB or 512 pixels a side.
 */
export async function emojiFromFile(file: Blob): Promise<Blob | null> {
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => new ArrayBuffer()))
  if (isAnimated(bytes)) {
    const pixels = countPixels(bytes) ?? Infinity
    const stored = await stripMetadata(file)
    const isUsable =
      ANIMATED_TYPES.has(file.type) && pixels <= MAX_ANIMATED_PIXELS && stored.size <= LIMITS.emojiBytes
    return isUsable ? stored : null
  }
  const picture = await openPicture(file)
  if (typeof picture === 'string') return null
  try {
    const { naturalWidth, naturalHeight } = picture.image
    const scale = Math.min(1, EMOJI_PIXELS / Math.max(naturalWidth, naturalHeight))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(naturalWidth * scale))
    canvas.height = Math.max(1, Math.round(naturalHeight * scale))
    const context = canvas.getContext('2d')
    if (!context) return null
    context.imageSmoothingQuality = 'high'
    context.drawImage(picture.image, 0, 0, canvas.width, canvas.height)
    // A browser that can't encode WebP produces PNG.
    return await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.9))
  } finally {
    picture.close()
  }
}
