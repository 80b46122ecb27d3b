import { countPixels } from './countPixels.ts'

/** The number of bytes at the beginning of an image that are searched for its dimensions. */
const HEAD_BYTES = 256 * 1024
/** Maximum pixels of a preview. Each takes four bytes of memory, however small the file is. */
export const MAX_PREVIEW_PIXELS = 40_000_000

/** Whether it is an image of at most `maxPixels`. Checked before the image is decoded. */
export async function isBoundedImage(blob: Blob, maxPixels: number): Promise<boolean> {
  const pixels = countPixels(new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer()))
  return pixels !== null && pixels <= maxPixels
}
