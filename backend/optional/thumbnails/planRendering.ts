import { errors } from '../../storage/errors.ts'
import type { Gravity, Transform } from './readTransform.ts'

/** Image formats that are rendered; all others, in particular SVG, are refused without decoding. */
export type ImageKind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'tiff'

/** The format to send where the transformation names none, by the client's `Accept`. */
export type FormatPreference = 'webp' | 'avif' | 'origin'

/** Whether an `Accept` header lists a type with a weight above 0. */
function accepts(list: string, type: string): boolean {
  return list.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((one) => /^q=0(\.0*)?$/.test(one))
  })
}

/**
 * WebP for clients that accept it, as in upstream's renderer; AVIF only for clients that don't accept WebP, since it
 * takes six times as long to encode. An explicitly requested format needs no `Accept`.
 */
export function negotiateFormat(transform: Transform, accept: string | undefined): FormatPreference {
  if (transform.format !== undefined) return transform.format
  const list = (accept ?? '').slice(0, 1000)
  if (accepts(list, 'image/webp')) return 'webp'
  return accepts(list, 'image/avif') ? 'avif' : 'origin'
}

/** Properties of an image from its header; width and height are those after applying its orientation. */
export interface SourceImage {
  kind: ImageKind
  width: number
  height: number
  /** Frames of an animation, 1 for a still image. */
  frames: number
  hasAlpha: boolean
}

interface Size {
  width: number
  height: number
}

/** How an image is rendered: scaled to `scaled`, then cropped to `crop`. */
export interface Plan {
  frames: number
  scaled: Size
  crop: (Size & { left: number; top: number }) | null
  /** The crop is chosen by saliency. */
  smart: boolean
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif'
  quality: number
  /** AVIF effort: large images would otherwise take many seconds. */
  effort: number
}

/** Pixels of a source, all frames together; hosted projects have 50 million. */
const maxPixels = 50_000_000

/** Maximum side of a source: rows of millions of pixels take seconds without any benefit. */
const maxSourceSide = 65_535

/** Pixels of an animated WebP, whose frames are all decoded at once; those of other formats are read one by one. */
const maxPixelsInMemory = 16_000_000

/** Frames rendered of an animation, as upstream's renderer is configured. */
const maxFrames = 60

/** Maximum of a side that was not requested: WebP supports at most twice as many. */
const maxSide = 8192

/** The frame where no size is requested, as in upstream's preset. */
const defaultFrame: Size = { width: 3000, height: maxSide }

const defaultQuality = { jpeg: 80, webp: 80, avif: 62, png: 100, gif: 100 } as const

/**
 * The size to scale to: aspect kept but for `fill`, nothing enlarged. `cover` gives the size before
 * the crop. A single side never crops: upstream's command line crops a strip of the full height there, by a preset that
 * its self-hosted setup does not have.
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

/** The offset of a crop of `inner` pixels along a side of `outer` pixels. */
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

/** Browsers don't display TIFF: it is converted. Only GIF and WebP are animated. */
function chooseFormat(image: SourceImage, preference: FormatPreference): Plan['format'] {
  if (preference !== 'origin') return preference
  if (image.kind !== 'tiff') return image.kind
  return image.hasAlpha ? 'png' : 'jpeg'
}

/** Plans a rendering. Throws InvalidRequest, with upstream's message, where the image has too many pixels. */
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
