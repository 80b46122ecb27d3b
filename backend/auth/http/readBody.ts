import type { Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { AuthError } from './AuthError.ts'

/** Bytes that a request may bring. */
const largestBody = 1_048_576

type FieldType = 'string' | 'boolean' | 'object' | 'strings'
interface FieldValues {
  string: string
  boolean: boolean
  object: Record<string, unknown>
  strings: string[]
}

/** Fields of a body by name; those that the request leaves out, or sends as null, are undefined. */
export type Body<S extends Record<string, FieldType>> = { [K in keyof S]: FieldValues[S[K]] | undefined }

function bad(message: string): AuthError {
  return new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${message}`)
}

/** A body can be read once, but a guard may look into it before the route does. */
const texts = new WeakMap<Request, Promise<string>>()

/** The whole body as text, however often it is asked for. Throws AuthError 413 as soon as it is too long. */
export function readText(c: Context<ServiceEnv>): Promise<string> {
  const { raw } = c.req
  const text = texts.get(raw) ?? readOnce(c)
  texts.set(raw, text)
  return text
}

async function readOnce(c: Context<ServiceEnv>): Promise<string> {
  const tooLarge = (): AuthError =>
    new AuthError(413, 'request_entity_too_large', `Request body too large (max ${largestBody} bytes)`)
  const said = c.req.header('content-length')
  if (Number(said ?? 0) > largestBody) throw tooLarge()
  // It can't be longer than it says: read whole it needs no stream, which costs more than all else about a body.
  if (said !== undefined) {
    const bytes = Buffer.from(await c.req.raw.arrayBuffer())
    if (bytes.length > largestBody) throw tooLarge()
    return bytes.toString('utf8')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength
    if (size > largestBody) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The JSON body of a request, each known field of its type, others left out.
 * @throws AuthError 400 bad_json, 413
 */
export async function readBody<const S extends Record<string, FieldType>>(
  c: Context<ServiceEnv>,
  shape: S,
  o: { optional?: boolean } = {},
): Promise<Body<S>> {
  const text = await readText(c)
  return text === '' && o.optional ? ({} as Body<S>) : parseBody(text, shape)
}

/** The same of a text that was read already. Throws AuthError 400 bad_json. */
export function parseBody<const S extends Record<string, FieldType>>(text: string, shape: S): Body<S> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw bad(text === '' ? 'unexpected end of JSON input' : 'invalid character')
  }
  if (parsed === null) return {} as Body<S>
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw bad('an object is expected')
  const source = parsed as Record<string, unknown>
  const body: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined
    if (value === undefined || value === null) continue
    if (!isOfType(value, type)) throw bad(`field ${name} must be of type ${type}`)
    body[name] = value
  }
  return body as Body<S>
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (type !== 'strings') return typeof value === type && !Array.isArray(value)
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
