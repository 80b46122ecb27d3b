import { errors } from '../errors.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import { parseAccept, parseMedia, type Media } from './parseMedia.ts'
import { parsePreferences, type Preferences } from './parsePreferences.ts'
import { parseRange } from './parseRange.ts'
import type { RowRange } from './query.ts'
import { splitQuery, type SplitQuery } from './splitQuery.ts'

/** The action of a request on its resource. */
export type Action = 'read' | 'insert' | 'update' | 'delete' | 'put' | 'call' | 'describe' | 'inspect'

export interface RestRequest {
  action: Action
  method: string
  /** The table, view or function; empty at the root. */
  name: string
  isRoutine: boolean
  headersOnly: boolean
  schema: string
  /** Whether the response names the schema: if several are exposed, or the request named one. */
  includesProfile: boolean
  preferences: Preferences
  accept: Media[]
  content: Media
  split: SplitQuery
  /** The requested rows of the resource itself; null for all rows. */
  range: RowRange | null
  /** Identifies requests that differ only in values. Together with the shape of the body it is the key of a plan. */
  shape: string
}

interface Resource {
  name: string
  isRoutine: boolean
}

/** Node's headers, by lower-case names. */
export type Headers = Record<string, string | string[] | undefined>

const TABLE_ACTIONS: Record<string, Action> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'insert',
  PATCH: 'update',
  PUT: 'put',
  DELETE: 'delete',
  OPTIONS: 'inspect',
}
const CALL_ACTIONS: Record<string, Action> = { GET: 'call', HEAD: 'call', POST: 'call', OPTIONS: 'inspect' }
const ROOT_ACTIONS: Record<string, Action> = { GET: 'describe', HEAD: 'describe', OPTIONS: 'inspect' }

/** Parses method, path, headers and query. Throws the errors that need no database. */
export function parseRequest(o: {
  method: string
  /** Path below the service's prefix, percent-encoded: `/messages`, `/rpc/send_message`. */
  path: string
  search: string
  headers: Headers
  settings: Pick<RestSettings, 'schemas' | 'openApiMode' | 'rootSpec' | 'txEnd'>
}): RestRequest {
  const { method, headers } = o
  const { schemas } = o.settings
  const { name, isRoutine } = o.path === '/' ? resolveRoot(o.settings) : parsePath(o.path)
  const profile = profileOf(method, headers)
  const schema = profile ?? schemas[0]!
  if (!schemas.includes(schema)) throw errors.schemaNotExposed(schema, schemas)
  const action = (isRoutine ? CALL_ACTIONS : name === '' ? ROOT_ACTIONS : TABLE_ACTIONS)[method]
  if (!action) throw isRoutine ? errors.rpcMethod(method) : errors.method(method)
  const split = splitQuery(o.search)
  const range = parseRange(method, split.ranges.get('limit'), joinHeader(headers.range))
  if (action === 'put' && range) throw errors.putRange()
  const accept = joinHeader(headers.accept)
  const prefer = joinHeader(headers.prefer)
  const content = joinHeader(headers['content-type'])
  const parts = [
    method,
    o.path,
    schema,
    accept ?? '',
    prefer ?? '',
    content ?? '',
    `${range?.offset},${range?.limit}`,
  ]
  return {
    action,
    method,
    name,
    isRoutine,
    headersOnly: method === 'HEAD',
    schema,
    includesProfile: profile !== undefined || schemas.length > 1,
    preferences: parsePreferences(prefer, o.settings.txEnd.endsWith('-allow-override')),
    accept: parseAccept(accept),
    content: content ? parseMedia(content) : { kind: 'json', mime: 'application/json' },
    split,
    range,
    shape: `${parts.map((part) => `${part.length}:${part}`).join('')}${split.shape}`,
  }
}

function joinHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * Returns the resource of the root path: the description of the schema, or the function of `rootSpec`. Throws
 * PGRST126.
 */
function resolveRoot({ openApiMode, rootSpec }: Pick<RestSettings, 'openApiMode' | 'rootSpec'>): Resource {
  if (openApiMode === 'disabled') throw errors.openApi()
  return rootSpec ? { name: rootSpec.name, isRoutine: true } : { name: '', isRoutine: false }
}

function parsePath(path: string): Resource {
  const [first = '', second, ...more] = path.slice(1).split('/').map(decodeSegment)
  if (second === undefined && first !== '') return { name: first, isRoutine: false }
  if (second !== undefined && first === 'rpc' && more.length === 0) return { name: second, isRoutine: true }
  throw errors.path()
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw errors.path()
  }
}

/** Returns the requested schema: `Accept-Profile` for reads, `Content-Profile` for writes. */
function profileOf(method: string, headers: Headers): string | undefined {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT' || method === 'DELETE'
  const profile = joinHeader(headers[isWrite ? 'content-profile' : 'accept-profile'])
  return profile === undefined ? undefined : decodeHeader(profile)
}

/** Decodes a header as UTF-8, like upstream: Node provides one character for each byte. */
export function decodeHeader(text: string): string {
  return /[\u0080-\u00ff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}
