import { errors } from '../errors.ts'
import type { StatementResult } from './parseResult.ts'
import { isValidHeader } from './renderHeaders.ts'
import type { RestResponse } from './restResponse.ts'

/**
 * Applies `response.status` and `response.headers` that SQL has set, which override the default ones; repeated headers are
 * sent repeatedly. Throws PGRST111 and PGRST112.
 */
export function applyResponseSettings(
  rendered: RestResponse,
  { headers, status }: StatementResult,
): RestResponse {
  if (headers === null && status === null) return rendered
  return {
    ...rendered,
    headers:
      headers === null ? rendered.headers : { ...rendered.headers, ...overrideHeaders(rendered, headers) },
    status: status === null ? rendered.status : parseStatus(status),
  }
}

/** Parses leading digits, like upstream. */
function parseStatus(text: string): number {
  const status = Number(/^\d{1,9}/.exec(text)?.[0])
  if (!(status >= 200 && status <= 599)) throw errors.responseStatus()
  return status
}

/** Uses the spelling of default headers, so that they are replaced. */
function overrideHeaders({ headers: defaults }: RestResponse, text: string): RestResponse['headers'] {
  const spellings = new Map(Object.keys(defaults).map((name) => [name.toLowerCase(), name]))
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of parseHeaders(text)) {
    const key = name.toLowerCase()
    if (!spellings.has(key)) spellings.set(key, name)
    const spelling = spellings.get(key)!
    const before = headers[spelling]
    headers[spelling] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

/** `[{"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, …]` */
function parseHeaders(text: string): [name: string, value: string][] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw errors.responseHeaders()
  }
  if (!Array.isArray(list)) throw errors.responseHeaders()
  return (list as unknown[]).map((item) => {
    const [pair, ...more] =
      item && typeof item === 'object' && !Array.isArray(item) ? Object.entries(item) : []
    if (!pair || more.length > 0 || !isValidHeader(pair[0], pair[1])) throw errors.responseHeaders()
    return pair
  })
}
