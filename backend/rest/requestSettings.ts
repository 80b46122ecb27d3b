import type { QueryConfig } from 'pg'
import { decodeHeader, type Headers, type RestRequest } from './parse/parseRequest.ts'
import type { Plan } from './plan/plan.ts'
import type { RestSettings } from './settings/restSettings.ts'
import { quote, quoteNamed } from './sql/quote.ts'

/**
 * Settings with which policies and functions access the request, such as `current_setting('request.headers', true)`, with
 * upstream's names. `path` is relative to the service's prefix.
 */
export function requestSettings(o: {
  request: RestRequest
  /** Null for the OpenAPI description. */
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
    'request.headers': decodeHeader(JSON.stringify(headers)),
    'request.cookies':
      cookie === undefined ? '{}' : decodeHeader(JSON.stringify(parseCookies(String(cookie)))),
  }
  const { timezone } = o.request.preferences
  if (timezone !== null) settings.timezone = timezone
  return o.plan?.kind === 'call' ? Object.assign(settings, o.plan.routine.settings) : settings
}

/** The call of the pre-request function, which runs as the caller before each statement; empty for none. */
export function preRequest({ preRequest: routine }: RestSettings): QueryConfig[] {
  if (routine === null) return []
  const text = `SELECT ${quoteNamed(routine)}()`
  return [{ text, name: text }]
}

/** Like upstream, a cookie without a value is empty, and the last of two with the same name counts. */
function parseCookies(header: string): Record<string, string> {
  const cookies = header.split(';').map((pair) => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
  })
  return Object.fromEntries(cookies) as Record<string, string>
}
