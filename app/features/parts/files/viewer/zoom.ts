/** Pixels. */
export interface Size {
  width: number
  height: number
}

/** Pixels from the center of the stage. */
export interface Point {
  x: number
  y: number
}

/** Scale (1: one pixel of the image is one of the page) and position of the center. */
export interface View extends Point {
  scale: number
}

/** An image and the stage on which it is shown. */
export interface ZoomFrame {
  picture: Size
  stage: Size
  /** The image covers the stage (for cropping); otherwise it fits into it. */
  cover?: boolean
}

export const CENTER: Point = { x: 0, y: 0 }

/** The whole image, centred; a small one is not enlarged. With `cover`, as much of it as the stage can show. */
export function fitView({ picture, stage, cover }: ZoomFrame): View {
  const [wide, high] = [stage.width / picture.width, stage.height / picture.height]
  const scale = cover ? Math.max(wide, high) : Math.min(1, wide, high)
  return { ...CENTER, scale: Number.isFinite(scale) && scale > 0 ? scale : 1 }
}

/** Whether a view shows the whole image. */
export function isFitted(view: View, frame: ZoomFrame): boolean {
  if (frame.cover && (view.x !== 0 || view.y !== 0)) return false
  return view.scale <= fitView(frame).scale * 1.001
}

/** Scales by a factor; the point at `toward` stays where it is. */
export function zoomView(view: View, frame: ZoomFrame, factor: number, toward: Point = CENTER): View {
  const scale = Math.min(maxScale(frame), Math.max(fitView(frame).scale, view.scale * factor))
  const by = scale / view.scale
  return clampView(
    { scale, x: toward.x - (toward.x - view.x) * by, y: toward.y - (toward.y - view.y) * by },
    frame,
  )
}

/** The maximum scale of an image. */
export function maxScale(frame: ZoomFrame): number {
  return Math.max(4, fitView(frame).scale * 8)
}

export function panView(view: View, frame: ZoomFrame, by: Point): View {
  return clampView({ ...view, x: view.x + by.x, y: view.y + by.y }, frame)
}

/** Toggles between the whole image and its actual size; if these are equal, twice that. */
export function toggleZoom(view: View, frame: ZoomFrame, toward: Point): View {
  if (view.scale > fitView(frame).scale * 1.001) return fitView(frame)
  return zoomView(view, frame, (view.scale < 0.999 ? 1 : 2) / view.scale, toward)
}

/** Keeps the edges of the image outside those of the stage; a dimension that fits is centred. */
function clampView(view: View, { picture, stage }: ZoomFrame): View {
  const x = Math.max(0, (picture.width * view.scale - stage.width) / 2)
  const y = Math.max(0, (picture.height * view.scale - stage.height) / 2)
  return {
    scale: view.scale,
    x: Math.min(x, Math.max(-x, view.x)),
    y: Math.min(y, Math.max(-y, view.y)),
  }
}
