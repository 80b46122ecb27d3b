import { limitConcurrency } from '../client/limitConcurrency.ts'
import { onClearFiles } from '../files/download/clearFiles.ts'
import { createFileCache } from '../files/download/fileCache.ts'
import { readAvatar } from '../files/storageClient.ts'

export { watchBytes } from '../files/download/watchBytes.ts'

/** Bytes of cached images that are not displayed. */
const MAX_UNUSED_BYTES = 8 * 1024 * 1024
const MAX_PARALLEL = 3

/** Images of custom emoji by path, shared by everything that displays them. */
export const emojiImages = createFileCache(limitConcurrency(readImage, MAX_PARALLEL), MAX_UNUSED_BYTES)

onClearFiles(() => emojiImages.clear())

/** The image; only its first frame for readers who prefer less motion. */
async function readImage(path: string): Promise<Blob> {
  const image = await readAvatar(path)
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return image
  const frame = await createImageBitmap(image)
  try {
    const canvas = new OffscreenCanvas(frame.width, frame.height)
    canvas.getContext('2d')?.drawImage(frame, 0, 0)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    frame.close()
  }
}
