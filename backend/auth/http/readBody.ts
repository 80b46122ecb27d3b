import type { Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { readRequestBody } from '../../runtime/readRequestBody.ts'
import { AuthError } from './AuthError.ts'

/** The maximum size of a request body. Parsing a megabyte of brackets would take 60 ms. */
const maxBodyBytes = 65_536

type FieldType = 'string' | 'boolean' | 'object' | 'strings'
interface FieldValues {
  string: string
  boolean: boolean
  object: Record<string, unknown>
  strings: string[]
}

/** The fields of a body by name; those that are missing or null are undefined. */
export type Body<S extends Record<string, FieldType>> = { [K in keyof S]: FieldValues[S[K]] | undefined }

function badJson(message: string): AuthError {
  return new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${message}`)
}

/** The body's stream can be read once, but a check may read it before the route does. */
const bodyTexts = new WeakMap<Request, Promise<string>>()

/** The body as text; may be called repeatedly. Throws AuthError 413 as soon as it is too long. */
export function readBodyText(c: Context<ServiceEnv>): Promise<string> {
  const { raw } = c.req
  const tooLarge = (): AuthError =>
    new AuthError(413, 'request_entity_too_large', `Request body too large (max ${maxBodyBytes} bytes)`)
  const text =
    bodyTexts.get(raw) ??
    readRequestBody(raw, c.req.header('content-length'), maxBodyBytes, tooLarge).then((body) =>
      body.toString('utf8'),
    )
  bodyTexts.set(raw, text)
  return text
}

/**
 * The JSON body of a request: each listed field with its type; other fields are dropped.
 * @throws AuthError 400 bad_json, 413
 */
export async function readBody<const S extends Record<string, FieldType>>(
  c: Context<ServiceEnv>,
  shape: S,
  o: { optional?: boolean } = {},
): Promise<Body<S>> {
  const text = await readBodyText(c)
  return text === '' && o.optional ? ({} as Body<S>) : parseBody(text, shape)
}

/** Parses a body that was already read as text. Throws AuthError 400 bad_json. */
export function parseBody<const S extends Record<string, FieldType>>(text: string, shape: S): Body<S> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw badJson(text === '' ? 'unexpected end of JSON input' : 'invalid character')
  }
  if (parsed === null) return {} as Body<S>
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw badJson('an object is expected')
  const source = parsed as Record<string, unknown>
  const body: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined
    if (value === undefined || value === null) continue
    if (!isOfType(value, type)) throw badJson(`field ${name} must be of type ${type}`)
    body[name] = value
  }
  return body as Body<S>
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (type !== 'strings') return typeof value === type && !Array.isArray(value)
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
