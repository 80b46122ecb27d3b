import { LIMITS } from '../../../../wire/limits.ts'
import { sourceOfBytes } from '../../../../wire/media/ByteSource.ts'
import { isAnimated } from '../../../../wire/media/isAnimated.ts'
import { latin1 } from '../../../../wire/media/MediaReader.ts'
import { countPixels } from '../../../data/files/download/countPixels.ts'
import { removeMetadata } from '../../../data/files/upload/removeMetadata.ts'
import { openPicture } from '../files/openPicture.ts'

/** Pixels of the longer side: emoji are displayed at 22 to 40, on dense screens at three times as many. */
const EMOJI_PIXELS = 128
/** Maximum pixels of an animated image, which is stored as it is. */
const MAX_ANIMATED_PIXELS = 512 * 512
/** Types that the server accepts for emoji, by their first bytes: the type of a file follows its name, which may be wrong. */
const ANIMATED_TYPES = [
  ['image/gif', /^GIF8/],
  ['image/png', /^\x89PNG/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
] as const

/**
 * An image of a file for an emoji: of at most 128 pixels, without metadata, as WebP or PNG. An animated one stays as it
 * is. Null if it can't be used: no image, or an animated one of more than 256 KB or 512 pixels a side.
 */
export async function emojiFromFile(file: Blob): Promise<Blob | null> {
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => new ArrayBuffer()))
  if (await isAnimated(sourceOfBytes(bytes))) {
    const pixels = countPixels(bytes) ?? Infinity
    const [type] = ANIMATED_TYPES.find(([, start]) => start.test(latin1(bytes.subarray(0, 12)))) ?? []
    if (!type || pixels > MAX_ANIMATED_PIXELS || file.size > LIMITS.emojiBytes) return null
    const { blob, isComplete } = await removeMetadata(file)
    return isComplete ? new Blob([blob], { type }) : null
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
