import type { IncomingMessage } from 'node:http'
import { errors } from './errors.ts'
import type { StorageError } from './StorageError.ts'

/** Bytes of the largest JSON body. */
const maxBodyBytes = 1024 * 1024

/** A scalar as text, null for what is none. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/**
 * The fields of a JSON body; each reader throws a sentence that names the field where it has another type. Scalars are
 * converted as upstream's validator does ("true", "10", 7 for a string), and null counts as absent: clients in other
 * languages rely on it.
 */
export class JsonBody {
  readonly #fields: Record<string, unknown>
  readonly #path: string

  constructor(fields: Record<string, unknown>, path = 'body') {
    this.#fields = fields
    this.#path = path
  }

  /** Reads the whole body. An absent one is `{}`. Throws on bad JSON or more than 1 MiB. */
  static async read(incoming: IncomingMessage): Promise<JsonBody> {
    const chunks: Buffer[] = []
    let size = 0
    // The stream is left open on a throw: destroying it would close the connection before the response is sent.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > maxBodyBytes) throw errors.bodyTooLarge()
      chunks.push(chunk as Buffer)
    }
    if (size === 0) return new JsonBody({})
    let value: unknown
    try {
      value = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    } catch {
      throw errors.invalidJson()
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw errors.invalidBody('body must be object')
    }
    return new JsonBody(value as Record<string, unknown>)
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name)
  }

  raw(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.#missing(name)
  }

  optionalText(name: string): string | undefined {
    const value = this.raw(name) ?? undefined
    return value === undefined ? undefined : (textOf(value) ?? this.#wrong(name, 'string'))
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.optionalText(name)
    if (value === undefined || choices.includes(value as T)) return value as T | undefined
    throw errors.invalidBody(`${this.#path}/${name} must be equal to one of the allowed values`)
  }

  requiredOneOf<T extends string>(name: string, choices: readonly T[]): T {
    return this.oneOf(name, choices) ?? this.#missing(name)
  }

  /** Anything beyond `max`, by default the largest integer of the database, means "all"; it isn't a reason to fail there. */
  optionalInteger(name: string, min: number, max = 2_147_483_647): number | undefined {
    const value = this.raw(name)
    if (value === undefined || value === null) return undefined
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (!Number.isSafeInteger(number)) return this.#wrong(name, 'integer')
    if ((number as number) < min) throw errors.invalidBody(`${this.#path}/${name} must be >= ${min}`)
    return Math.min(number as number, max)
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.raw(name) ?? undefined
    if (value === undefined || typeof value === 'boolean') return value
    if (value === 'true' || value === 1) return true
    return value === 'false' || value === 0 ? false : this.#wrong(name, 'boolean')
  }

  /** A list of texts, null where the field is null, undefined where it is absent. */
  optionalTexts(name: string): string[] | null | undefined {
    const value = this.raw(name)
    if (value === undefined || value === null) return value
    const list: unknown[] = Array.isArray(value) ? value : [value]
    return list.map((item, at) => textOf(item) ?? this.#wrong(`${name}/${at}`, 'string'))
  }

  /** A list of at least one and at most `max` texts. */
  texts(name: string, max: number, tooMany: StorageError): string[] {
    const value = this.optionalTexts(name) ?? this.#missing(name)
    if (value.length === 0) {
      throw errors.invalidBody(`${this.#path}/${name} must NOT have fewer than 1 items`)
    }
    if (value.length > max) throw tooMany
    return value
  }

  optionalObject(name: string): JsonBody | undefined {
    const value = this.raw(name)
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'object' || Array.isArray(value)) return this.#wrong(name, 'object')
    return new JsonBody(value as Record<string, unknown>, `${this.#path}/${name}`)
  }

  #missing(name: string): never {
    throw errors.invalidBody(`${this.#path} must have required property '${name}'`)
  }

  #wrong(name: string, type: string): never {
    throw errors.invalidBody(`${this.#path}/${name} must be ${type}`)
  }
}
