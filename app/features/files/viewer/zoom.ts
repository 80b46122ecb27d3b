/** Pixels. */
export interface Size {
  width: number
  height: number
}

/** Pixels from the middle of the stage. */
export interface Point {
  x: number
  y: number
}

/** How large a picture is drawn (1: a pixel of it is one of the page), and where its middle is. */
export interface View extends Point {
  scale: number
}

/** A picture and the room that there is for it. */
export interface Place {
  picture: Size
  stage: Size
  /** The picture covers the stage (for cropping); else it fits into it. */
  cover?: boolean
}

export const MIDDLE: Point = { x: 0, y: 0 }

/** The whole picture, in the middle; a small one is not enlarged. With `cover` as much of it as the stage can show. */
export function fitted({ picture, stage, cover }: Place): View {
  const [wide, high] = [stage.width / picture.width, stage.height / picture.height]
  const scale = cover ? Math.max(wide, high) : Math.min(1, wide, high)
  return { ...MIDDLE, scale: Number.isFinite(scale) && scale > 0 ? scale : 1 }
}

/** Whether a view is the whole picture. */
export function isFitted(view: View, place: Place): boolean {
  if (place.cover && (view.x !== 0 || view.y !== 0)) return false
  return view.scale <= fitted(place).scale * 1.001
}

/** Larger or smaller by a factor, with the point under the pointer staying there. */
export function zoomed(view: View, place: Place, factor: number, toward: Point = MIDDLE): View {
  const scale = Math.min(maxScale(place), Math.max(fitted(place).scale, view.scale * factor))
  const by = scale / view.scale
  return within(
    { scale, x: toward.x - (toward.x - view.x) * by, y: toward.y - (toward.y - view.y) * by },
    place,
  )
}

/** The scale beyond which a picture is not enlarged. */
export function maxScale(place: Place): number {
  return Math.max(4, fitted(place).scale * 8)
}

export function panned(view: View, place: Place, by: Point): View {
  return within({ ...view, x: view.x + by.x, y: view.y + by.y }, place)
}

/** Between the whole picture and its own size; where these are the same, twice that. */
export function toggled(view: View, place: Place, toward: Point): View {
  if (view.scale > fitted(place).scale * 1.001) return fitted(place)
  return zoomed(view, place, (view.scale < 0.999 ? 1 : 2) / view.scale, toward)
}

/** No edge of the picture comes further in than that of the stage; what has room lies in the middle. */
function within(view: View, { picture, stage }: Place): View {
  const x = Math.max(0, (picture.width * view.scale - stage.width) / 2)
  const y = Math.max(0, (picture.height * view.scale - stage.height) / 2)
  return {
    scale: view.scale,
    x: Math.min(x, Math.max(-x, view.x)),
    y: Math.min(y, Math.max(-y, view.y)),
  }
}
