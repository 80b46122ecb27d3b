import { failures } from '../failures.ts'
import { formats, gravities, resizes } from './Transform.ts'
import type { Gravity, Transform } from './Transform.ts'

/** Pixels of the longest side: what is beyond becomes this, as upstream's hosted service clamps it. */
const longest = 2500

/** Reads one field after another of a query or a body; `path` begins the sentences of refusals. */
class FieldReader {
  readonly #field: (name: string) => unknown
  readonly #path: string

  constructor(path: string, field: (name: string) => unknown) {
    this.#path = path
    this.#field = field
  }

  number(name: string, o: { integer?: boolean; least?: number; most?: number } = {}): number | undefined {
    const value = this.#field(name) ?? undefined
    if (value === undefined) return undefined
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      throw this.#refuse(name, `must be ${o.integer ? 'integer' : 'number'}`)
    }
    if (o.integer && !Number.isInteger(number)) throw this.#refuse(name, 'must be integer')
    if (o.most !== undefined && number > o.most) throw this.#refuse(name, `must be <= ${o.most}`)
    if (o.least !== undefined && number < o.least) throw this.#refuse(name, `must be >= ${o.least}`)
    return number
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#field(name) ?? undefined
    if (value === undefined || choices.includes(value as T)) return value as T | undefined
    throw this.#refuse(name, 'must be equal to one of the allowed values')
  }

  missing(name: string): Error {
    return failures.invalidBody(`${this.#path} must have required property '${name}'`)
  }

  #refuse(name: string, sentence: string): Error {
    return failures.invalidBody(`${this.#path}/${name} ${sentence}`)
  }
}

/** Zero means "not said", as upstream has it. */
const sideOf = (pixels: number | undefined): number | undefined =>
  pixels ? Math.min(pixels, longest) : undefined

function readGravity(fields: FieldReader): Gravity | undefined {
  const kind = fields.choice('gravity', gravities)
  const share = kind === 'fp' ? { least: 0, most: 1 } : {}
  const x = fields.number('x_offset', share)
  const y = fields.number('y_offset', share)
  if (kind === 'fp' && x === undefined) throw fields.missing('x_offset')
  if (kind === 'fp' && y === undefined) throw fields.missing('y_offset')
  return kind && { kind, x: x ?? 0, y: y ?? 0 }
}

/**
 * The transformation that a query or a body asks for, in upstream's words and with its refusals.
 * @param path what the fields lie in: "querystring", "body/transform"
 * @param field a field's value, undefined where it is absent
 */
export function readTransform(path: string, field: (name: string) => unknown): Transform {
  const fields = new FieldReader(path, field)
  const height = sideOf(fields.number('height', { integer: true, least: 0 }))
  const width = sideOf(fields.number('width', { integer: true, least: 0 }))
  const resize = fields.choice('resize', resizes)
  const format = fields.choice('format', formats)
  const quality = fields.number('quality', { integer: true, least: 20, most: 100 })
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
