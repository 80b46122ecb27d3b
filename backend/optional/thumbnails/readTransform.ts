import { errors } from '../../storage/errors.ts'

/** Which part a crop keeps: by compass direction, by detected saliency (`sm`), or around a focal point (`fp`). */
const gravities = ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'] as const
const resizes = ['cover', 'contain', 'fill'] as const
const formats = ['origin', 'avif', 'webp'] as const

export interface Gravity {
  kind: (typeof gravities)[number]
  /** Below 1 a fraction of the image, else pixels; a focal point is always given in fractions. */
  x: number
  y: number
}

/** A transformation of an image. Sizes are in pixels, 1 to 2500; an absent side follows from the other. */
export interface Transform {
  width?: number
  height?: number
  resize?: (typeof resizes)[number]
  format?: (typeof formats)[number]
  /** 20 to 100. */
  quality?: number
  gravity?: Gravity
}

/** Maximum side in pixels: larger values are clamped, as on hosted. */
const maxSide = 2500

/** Reads one field after another of a query or a body; `path` is the prefix of error messages. */
class FieldReader {
  readonly #field: (name: string) => unknown
  readonly #path: string

  constructor(path: string, field: (name: string) => unknown) {
    this.#path = path
    this.#field = field
  }

  number(name: string, o: { integer?: boolean; min?: number; max?: number } = {}): number | undefined {
    const value = this.#field(name) ?? undefined
    if (value === undefined) return undefined
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      throw this.#createError(name, `must be ${o.integer ? 'integer' : 'number'}`)
    }
    if (o.integer && !Number.isInteger(number)) throw this.#createError(name, 'must be integer')
    if (o.max !== undefined && number > o.max) throw this.#createError(name, `must be <= ${o.max}`)
    if (o.min !== undefined && number < o.min) throw this.#createError(name, `must be >= ${o.min}`)
    return number
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#field(name) ?? undefined
    if (value === undefined || choices.includes(value as T)) return value as T | undefined
    throw this.#createError(name, 'must be equal to one of the allowed values')
  }

  missing(name: string): Error {
    return errors.invalidBody(`${this.#path} must have required property '${name}'`)
  }

  #createError(name: string, sentence: string): Error {
    return errors.invalidBody(`${this.#path}/${name} ${sentence}`)
  }
}

/** Zero means absent, as upstream. */
const clampSide = (pixels: number | undefined): number | undefined =>
  pixels ? Math.min(pixels, maxSide) : undefined

function readGravity(fields: FieldReader): Gravity | undefined {
  const kind = fields.choice('gravity', gravities)
  const share = kind === 'fp' ? { min: 0, max: 1 } : {}
  const x = fields.number('x_offset', share)
  const y = fields.number('y_offset', share)
  if (kind === 'fp' && x === undefined) throw fields.missing('x_offset')
  if (kind === 'fp' && y === undefined) throw fields.missing('y_offset')
  return kind && { kind, x: x ?? 0, y: y ?? 0 }
}

/**
 * Reads the transformation in a query or a body, with upstream's error messages.
 * @param path the name of the container in errors: "querystring", "body/transform"
 * @param field a field's value, undefined where it is absent
 */
export function readTransform(path: string, field: (name: string) => unknown): Transform {
  const fields = new FieldReader(path, field)
  const height = clampSide(fields.number('height', { integer: true, min: 0 }))
  const width = clampSide(fields.number('width', { integer: true, min: 0 }))
  const resize = fields.choice('resize', resizes)
  const format = fields.choice('format', formats)
  const quality = fields.number('quality', { integer: true, min: 20, max: 100 })
  const gravity = readGravity(fields)
  return {
    ...(height !== undefined && { height }),
    ...(width !== undefined && { width }),
    ...(resize !== undefined && { resize }),
    ...(format !== undefined && { format }),
    ...(quality !== undefined && { quality }),
    ...(gravity !== undefined && { gravity }),
  }
}
