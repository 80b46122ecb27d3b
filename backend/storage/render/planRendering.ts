import { errors } from '../errors.ts'
import type { FormatPreference } from './negotiateFormat.ts'
import type { ImageKind } from './detectImageFormat.ts'
import type { Gravity, Transform } from './Transform.ts'

/** What is known of a picture before its pixels are read; sizes are those that a viewer sees, upright. */
export interface SourceImage {
  kind: ImageKind
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
  crop: (Size & { left: number; top: number }) | null
  /** The cut is to be chosen by what catches the eye. */
  smart: boolean
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif'
  quality: number
  /** How hard AVIF is tried: large pictures would take many seconds otherwise. */
  effort: number
}

/** Pixels of a source, all frames together; hosted projects have 50 million. */
const maxPixels = 50_000_000

/** Pixels of a source's side. Rows of millions of pixels take seconds for nothing that anybody sees. */
const maxSourceSide = 65_535

/** Pixels of an animation in WebP, whose frames are all held at once; the others' are read one by one. */
const maxPixelsInMemory = 16_000_000

/** Frames kept of an animation, as upstream's renderer is set up. */
const maxFrames = 60

/** Pixels of a side that was not asked for: WebP takes no more than twice as many. */
const maxSide = 8192

/** What a picture has to fit in where no size is asked, as upstream's preset has it. */
const defaultFrame: Size = { width: 3000, height: maxSide }

const defaultQuality = { jpeg: 80, webp: 80, avif: 62, png: 100, gif: 100 } as const

/**
 * The size to scale to: aspect kept but for `fill`, nothing enlarged. `cover` gives what the cut is taken
 * from. One side alone never cuts: upstream's command line cuts a strip of the full height there, by a
 * preset that its self-hosted set-up does not have.
 */
function computeScale(source: Size, transform: Transform): { scaled: Size; frame: Size } {
  const { width, height, resize = 'cover' } = transform
  const none = !width && !height
  const frame = none
    ? defaultFrame
    : {
        width: width ?? (resize === 'fill' ? Math.min(source.width, maxSide) : maxSide),
        height: height ?? (resize === 'fill' ? Math.min(source.height, maxSide) : maxSide),
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
function computeOffset(o: {
  outer: number
  inner: number
  end: 'near' | 'far' | 'middle'
  shift: number
}): number {
  const shift = Math.round(Math.abs(o.shift) >= 1 ? o.shift : o.shift * o.outer)
  const maxFramesByPixels = o.outer - o.inner
  const start = {
    near: shift,
    far: maxFramesByPixels - shift,
    middle: Math.floor((maxFramesByPixels + 1) / 2) + shift,
  }[o.end]
  return Math.min(Math.max(start, 0), maxFramesByPixels)
}

function computeCrop(scaled: Size, frame: Size, gravity: Gravity): Plan['crop'] {
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
    left: computeOffset({ outer: scaled.width, inner: width, end: across, shift: x }),
    top: computeOffset({ outer: scaled.height, inner: height, end: down, shift: y }),
  }
}

/** TIFF is for printers: browsers get what they show. Only GIF and WebP move. */
function chooseFormat(image: SourceImage, preference: FormatPreference): Plan['format'] {
  if (preference !== 'origin') return preference
  if (image.kind !== 'tiff') return image.kind
  return image.hasAlpha ? 'png' : 'jpeg'
}

/** How a picture is rendered. Throws InvalidRequest, with upstream's sentence, where it has too many pixels. */
export function planRendering(image: SourceImage, transform: Transform, preference: FormatPreference): Plan {
  const pixels = image.width * image.height
  if (pixels > maxPixels || Math.max(image.width, image.height) > maxSourceSide) {
    throw errors.tooManyPixels()
  }
  const format = chooseFormat(image, preference)
  const isAnimated = format === 'gif' || format === 'webp'
  const maxFramesByPixels = Math.max(
    1,
    Math.floor((image.kind === 'webp' ? maxPixelsInMemory : maxPixels) / pixels),
  )
  const frames = isAnimated ? Math.min(image.frames, maxFrames, maxFramesByPixels) : 1
  const { scaled, frame } = computeScale(image, transform)
  const gravity = transform.gravity ?? { kind: 'ce', x: 0, y: 0 }
  const crop = computeCrop(scaled, frame, gravity)
  return {
    frames,
    scaled,
    crop,
    smart: gravity.kind === 'sm' && crop !== null && frames === 1,
    format,
    quality: transform.quality ?? defaultQuality[format],
    effort: scaled.width * scaled.height > 1_000_000 ? 0 : 2,
  }
}
