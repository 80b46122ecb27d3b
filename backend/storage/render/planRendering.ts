import { failures } from '../failures.ts'
import type { Preference } from './preferenceOf.ts'
import type { PictureKind } from './sniffPicture.ts'
import type { Gravity, Transform } from './Transform.ts'

/** What is known of a picture before its pixels are read; sizes are those that a viewer sees, upright. */
export interface Picture {
  kind: PictureKind
  width: number
  height: number
  /** Frames of an animation, 1 for a still picture. */
  frames: number
  hasAlpha: boolean
}

interface Size {
  width: number
  height: number
}

/** How a picture becomes another: scaled to `scaled`, of which `cut` is kept. */
export interface Plan {
  frames: number
  scaled: Size
  cut: (Size & { left: number; top: number }) | null
  /** The cut is to be chosen by what catches the eye. */
  smart: boolean
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif'
  quality: number
  /** How hard AVIF is tried: large pictures would take many seconds otherwise. */
  effort: number
}

/** Pixels of a source, all frames together; hosted projects have 50 million. */
const mostPixels = 50_000_000

/** Pixels of a source's side. Rows of millions of pixels take seconds for nothing that anybody sees. */
const longestSource = 65_535

/** Pixels of an animation in WebP, whose frames are all held at once; the others' are read one by one. */
const mostPixelsAtOnce = 16_000_000

/** Frames kept of an animation, as upstream's renderer is set up. */
const mostFrames = 60

/** Pixels of a side that was not asked for: WebP takes no more than twice as many. */
const longest = 8192

/** What a picture has to fit in where no size is asked, as upstream's preset has it. */
const unasked: Size = { width: 3000, height: longest }

const usualQuality = { jpeg: 80, webp: 80, avif: 62, png: 100, gif: 100 } as const

/**
 * The size to scale to: aspect kept but for `fill`, nothing enlarged. `cover` gives what the cut is taken
 * from. One side alone never cuts: upstream's command line cuts a strip of the full height there, by a
 * preset that its self-hosted set-up does not have.
 */
function scaleOf(source: Size, transform: Transform): { scaled: Size; frame: Size } {
  const { width, height, resize = 'cover' } = transform
  const none = !width && !height
  const frame = none
    ? unasked
    : {
        width: width ?? (resize === 'fill' ? Math.min(source.width, longest) : longest),
        height: height ?? (resize === 'fill' ? Math.min(source.height, longest) : longest),
      }
  let x = frame.width / source.width
  let y = frame.height / source.height
  if (resize !== 'fill' || none) {
    const both = width && height && resize === 'cover' ? Math.max(x, y) : Math.min(x, y)
    x = both
    y = both
  }
  const enlarged = Math.max(x, y, 1)
  const scaled = {
    width: Math.max(1, Math.round((source.width * x) / enlarged)),
    height: Math.max(1, Math.round((source.height * y) / enlarged)),
  }
  return { scaled, frame }
}

/** Where a cut of `inner` begins along a side of `outer`. */
function offsetOf(o: {
  outer: number
  inner: number
  end: 'near' | 'far' | 'middle'
  shift: number
}): number {
  const shift = Math.round(Math.abs(o.shift) >= 1 ? o.shift : o.shift * o.outer)
  const room = o.outer - o.inner
  const start = { near: shift, far: room - shift, middle: Math.floor((room + 1) / 2) + shift }[o.end]
  return Math.min(Math.max(start, 0), room)
}

function cutOf(scaled: Size, frame: Size, gravity: Gravity): Plan['cut'] {
  const width = Math.min(scaled.width, frame.width)
  const height = Math.min(scaled.height, frame.height)
  if (width === scaled.width && height === scaled.height) return null
  const { kind, x, y } = gravity
  if (kind === 'fp') {
    const about = (outer: number, inner: number, share: number): number =>
      Math.min(Math.max(Math.round(outer * share) - Math.floor(inner / 2), 0), outer - inner)
    return { width, height, left: about(scaled.width, width, x), top: about(scaled.height, height, y) }
  }
  const across = kind.endsWith('ea') ? 'far' : kind.endsWith('we') ? 'near' : 'middle'
  const down = kind.startsWith('no') ? 'near' : kind.startsWith('so') ? 'far' : 'middle'
  return {
    width,
    height,
    left: offsetOf({ outer: scaled.width, inner: width, end: across, shift: x }),
    top: offsetOf({ outer: scaled.height, inner: height, end: down, shift: y }),
  }
}

/** TIFF is for printers: browsers get what they show. Only GIF and WebP move. */
function formatOf(picture: Picture, preference: Preference): Plan['format'] {
  if (preference !== 'origin') return preference
  if (picture.kind !== 'tiff') return picture.kind
  return picture.hasAlpha ? 'png' : 'jpeg'
}

/** How a picture is rendered. Throws InvalidRequest, with upstream's sentence, where it has too many pixels. */
export function planRendering(picture: Picture, transform: Transform, preference: Preference): Plan {
  const pixels = picture.width * picture.height
  if (pixels > mostPixels || Math.max(picture.width, picture.height) > longestSource) {
    throw failures.tooManyPixels()
  }
  const format = formatOf(picture, preference)
  const moves = format === 'gif' || format === 'webp'
  const room = Math.max(1, Math.floor((picture.kind === 'webp' ? mostPixelsAtOnce : mostPixels) / pixels))
  const frames = moves ? Math.min(picture.frames, mostFrames, room) : 1
  const { scaled, frame } = scaleOf(picture, transform)
  const gravity = transform.gravity ?? { kind: 'ce', x: 0, y: 0 }
  const cut = cutOf(scaled, frame, gravity)
  return {
    frames,
    scaled,
    cut,
    smart: gravity.kind === 'sm' && cut !== null && frames === 1,
    format,
    quality: transform.quality ?? usualQuality[format],
    effort: scaled.width * scaled.height > 1_000_000 ? 0 : 2,
  }
}
