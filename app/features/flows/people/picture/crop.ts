import { fitView, maxScale, type ZoomFrame, type View } from '../../../parts/files/viewer/zoom.ts'

/** Pixels of each side of a stored avatar: the largest is displayed at 56, on dense screens at 168. */
export const AVATAR_PIXELS = 256

/** The part of the picture, in its own pixels, that fills the square stage. */
export function cropOf(view: View, { picture, stage }: ZoomFrame): { x: number; y: number; side: number } {
  const side = Math.min(stage.width / view.scale, picture.width, picture.height)
  // Rounding must not exceed the picture.
  const within = (at: number, length: number) => Math.min(Math.max(0, at), length - side)
  return {
    x: within(picture.width / 2 - view.x / view.scale - side / 2, picture.width),
    y: within(picture.height / 2 - view.y / view.scale - side / 2, picture.height),
    side,
  }
}

/** The level of a view between the smallest scale (0) and the largest (1), logarithmic. */
export function zoomLevel(view: View, frame: ZoomFrame): number {
  const minScale = fitView(frame).scale
  return Math.log(view.scale / minScale) / Math.log(maxScale(frame) / minScale)
}

/** The factor that zooms a view to a level. */
export function factorTo(level: number, view: View, frame: ZoomFrame): number {
  const minScale = fitView(frame).scale
  return (minScale * (maxScale(frame) / minScale) ** level) / view.scale
}

/** The square part of a picture as WebP, or as JPEG where the browser can't encode WebP. Without metadata. */
export async function encodeAvatar(picture: CanvasImageSource, view: View, frame: ZoomFrame): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = AVATAR_PIXELS
  canvas.height = AVATAR_PIXELS
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  // Transparent pictures get a white background: JPEG has no transparency, and another background would change with
  // the theme.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, AVATAR_PIXELS, AVATAR_PIXELS)
  context.imageSmoothingQuality = 'high'
  const { x, y, side } = cropOf(view, frame)
  context.drawImage(picture, x, y, side, side, 0, 0, AVATAR_PIXELS, AVATAR_PIXELS)
  const encode = (type: string) => new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.86))
  const webp = await encode('image/webp')
  // A browser that can't encode a type produces PNG.
  const image = webp?.type === 'image/webp' ? webp : await encode('image/jpeg')
  if (!image) throw new Error('not encoded')
  return image
}
