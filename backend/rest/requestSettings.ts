import type { QueryConfig } from 'pg'
import { fromBytes } from './parse/fromBytes.ts'
import type { Headers, RestRequest } from './parse/parseRequest.ts'
import type { Plan } from './plan/plan.ts'
import type { RestSettings } from './settings/restSettings.ts'
import { quote, quoteNamed } from './sql/quote.ts'

/**
 * What policies and functions may ask of their request: `current_setting('request.headers', true)` and
 * its like, as upstream names them. `path` is below the service's prefix.
 */
export function requestSettings(o: {
  request: RestRequest
  /** Null for the description of the schema. */
  plan: Plan | null
  path: string
  headers: Headers
  extraSearchPath: string[]
}): Record<string, string> {
  const { cookie, ...headers } = o.headers
  const settings: Record<string, string> = {
    search_path: [o.request.schema, ...o.extraSearchPath].map(quote).join(', '),
    'request.method': o.request.method,
    'request.path': o.path,
    'request.headers': fromBytes(JSON.stringify(headers)),
    'request.cookies': cookie === undefined ? '{}' : fromBytes(JSON.stringify(parseCookies(String(cookie)))),
  }
  const { timezone } = o.request.preferences
  if (timezone !== null) settings.timezone = timezone
  return o.plan?.kind === 'call' ? Object.assign(settings, o.plan.routine.settings) : settings
}

/** The call of the function that comes before each request's statement, as the caller; empty for none. */
export function preRequest({ preRequest: routine }: RestSettings): QueryConfig[] {
  if (routine === null) return []
  const text = `SELECT ${quoteNamed(routine)}()`
  return [{ text, name: text }]
}

/** As upstream: a cookie without a value is an empty one, and of two of a name the last counts. */
function parseCookies(header: string): Record<string, string> {
  const cookies = header.split(';').map((pair) => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
  })
  return Object.fromEntries(cookies) as Record<string, string>
}
