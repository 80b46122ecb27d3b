import { countPixels } from '../../../data/files/download/countPixels.ts'
import { sourceOfBytes } from '../../../../wire/media/ByteSource.ts'
import { isAnimated } from '../../../../wire/media/isAnimated.ts'

/** More than any camera writes; the file is read whole, to detect animation. */
const MAX_BYTES = 25 * 1000 * 1000
/** Decoded, each pixel takes four bytes of memory. */
const MAX_PIXELS = 60_000_000
/** The dimensions are near the beginning of the file. */
const HEAD_BYTES = 256 * 1024

export type Unusable = 'unknown' | 'large' | 'animated'

export interface OpenPicture {
  /** Decoded and upright. */
  image: HTMLImageElement
  /** Frees its memory. */
  close: () => void
}

/** Decodes a picture by its bytes, whatever its name; otherwise returns why it can't be used. */
export async function openPicture(file: Blob): Promise<OpenPicture | Unusable> {
  if (file.size > MAX_BYTES) return 'large'
  let bytes: Uint8Array
  try {
    bytes = new Uint8Array(await file.arrayBuffer())
  } catch {
    return 'unknown'
  }
  const pixels = countPixels(bytes.subarray(0, HEAD_BYTES))
  if (pixels === null) return 'unknown'
  if (pixels > MAX_PIXELS) return 'large'
  if (await isAnimated(sourceOfBytes(bytes))) return 'animated'
  const url = URL.createObjectURL(file)
  const image = new Image()
  image.src = url
  try {
    await image.decode()
    if (image.naturalWidth > 0 && image.naturalHeight > 0)
      return { image, close: () => URL.revokeObjectURL(url) }
  } catch {
    // Not decodable: an unknown file.
  }
  URL.revokeObjectURL(url)
  return 'unknown'
}
