import { errors } from '../errors.ts'
import { parseAccept, parseMedia } from './parseMedia.ts'
import type { Media } from './parseMedia.ts'
import { parsePreferences } from './parsePreferences.ts'
import type { Preferences } from './parsePreferences.ts'
import { parseRange } from './parseRange.ts'
import type { RowRange } from './query.ts'
import { splitQuery } from './splitQuery.ts'
import type { SplitQuery } from './splitQuery.ts'

/** What a request does to what, before its query is read. */
export type Action = 'read' | 'insert' | 'update' | 'delete' | 'put' | 'call' | 'inspect'

export interface RestRequest {
  action: Action
  method: string
  /** The table, view or function; empty at the root. */
  name: string
  isRoutine: boolean
  headersOnly: boolean
  schema: string
  /** Answers name the schema when there was one to choose. */
  namesProfile: boolean
  preferences: Preferences
  accept: Media[]
  content: Media
  split: SplitQuery
  /** Rows of the resource itself; null when none were asked for. */
  range: RowRange | null
  /** Equal for requests that differ in values alone: the key of a plan. The body's keys come on top. */
  shape: string
}

/** Headers by their lower-case names, as node gives them. */
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

/** Reads method, path, headers and query. Throws the refusals that need no database. */
export function parseRequest(o: {
  method: string
  /** Below the service's prefix: `/messages`, `/rpc/send_message`. Percent-encoded. */
  path: string
  search: string
  headers: Headers
  schemas: string[]
}): RestRequest {
  const { method, headers } = o
  const { name, isRoutine } = parsePath(o.path)
  const action = (isRoutine ? CALL_ACTIONS : TABLE_ACTIONS)[method]
  if (!action || (name === '' && action !== 'read' && action !== 'inspect')) {
    throw isRoutine ? errors.rpcMethod(method) : errors.method(method)
  }
  const schema = parseProfile(method, headers, o.schemas)
  const split = splitQuery(o.search)
  const range = parseRange(method, split.ranges.get('limit'), one(headers.range))
  if (action === 'put' && range) throw errors.putRange()
  const accept = one(headers.accept)
  const prefer = one(headers.prefer)
  const content = one(headers['content-type'])
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
    namesProfile: o.schemas.length > 1,
    preferences: parsePreferences(prefer),
    accept: parseAccept(accept),
    content: content ? parseMedia(content) : { kind: 'json', mime: 'application/json' },
    split,
    range,
    shape: `${parts.map((part) => `${part.length}:${part}`).join('')}${split.shape}`,
  }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

function parsePath(path: string): { name: string; isRoutine: boolean } {
  const segments = path.split('/').filter((segment) => segment !== '')
  const [first = '', second = ''] = segments.map(decodeSegment)
  if (segments.length <= 1) return { name: first, isRoutine: false }
  if (segments.length === 2 && first === 'rpc') return { name: second, isRoutine: true }
  throw errors.path()
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw errors.path()
  }
}

/** Reads choose their schema by `Accept-Profile`, writes by `Content-Profile`; the first is the default. */
function parseProfile(method: string, headers: Headers, schemas: string[]): string {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT' || method === 'DELETE'
  const profile = one(headers[isWrite ? 'content-profile' : 'accept-profile'])
  if (profile === undefined) return schemas[0]!
  if (!schemas.includes(profile)) throw errors.schemaNotExposed(profile, schemas)
  return profile
}
