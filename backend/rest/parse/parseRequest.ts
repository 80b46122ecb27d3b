import { errors } from '../errors.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import { fromBytes } from './fromBytes.ts'
import { parseAccept, parseMedia } from './parseMedia.ts'
import type { Media } from './parseMedia.ts'
import { parsePreferences } from './parsePreferences.ts'
import type { Preferences } from './parsePreferences.ts'
import { parseRange } from './parseRange.ts'
import type { RowRange } from './query.ts'
import { splitQuery } from './splitQuery.ts'
import type { SplitQuery } from './splitQuery.ts'

/** What a request does to what, before its query is read. */
export type Action = 'read' | 'insert' | 'update' | 'delete' | 'put' | 'call' | 'describe' | 'inspect'

export interface RestRequest {
  action: Action
  method: string
  /** The table, view or function; empty at the root. */
  name: string
  isRoutine: boolean
  headersOnly: boolean
  schema: string
  /** Answers name the schema when there was one to choose, or one was asked for. */
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

interface Resource {
  name: string
  isRoutine: boolean
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
const ROOT_ACTIONS: Record<string, Action> = { GET: 'describe', HEAD: 'describe', OPTIONS: 'inspect' }

/** Reads method, path, headers and query. Throws the refusals that need no database. */
export function parseRequest(o: {
  method: string
  /** Below the service's prefix: `/messages`, `/rpc/send_message`. Percent-encoded. */
  path: string
  search: string
  headers: Headers
  settings: Pick<RestSettings, 'schemas' | 'openApiMode' | 'rootSpec' | 'txEnd'>
}): RestRequest {
  const { method, headers } = o
  const { schemas } = o.settings
  const { name, isRoutine } = o.path === '/' ? rootOf(o.settings) : parsePath(o.path)
  const profile = profileOf(method, headers)
  const schema = profile ?? schemas[0]!
  if (!schemas.includes(schema)) throw errors.schemaNotExposed(schema, schemas)
  const action = (isRoutine ? CALL_ACTIONS : name === '' ? ROOT_ACTIONS : TABLE_ACTIONS)[method]
  if (!action) throw isRoutine ? errors.rpcMethod(method) : errors.method(method)
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
    namesProfile: profile !== undefined || schemas.length > 1,
    preferences: parsePreferences(prefer, o.settings.txEnd.endsWith('-allow-override')),
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

/** The root describes the schema, where a function of the settings doesn't stand for it. Throws PGRST126. */
function rootOf({ openApiMode, rootSpec }: Pick<RestSettings, 'openApiMode' | 'rootSpec'>): Resource {
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

/** Reads choose their schema by `Accept-Profile`, writes by `Content-Profile`; the first is the default. */
function profileOf(method: string, headers: Headers): string | undefined {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT' || method === 'DELETE'
  const profile = one(headers[isWrite ? 'content-profile' : 'accept-profile'])
  return profile === undefined ? undefined : fromBytes(profile)
}
