import type { RowBytes } from '../../postgres/connections/RowInterceptor.ts'
import type { Media } from '../parse/parseMedia.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Plan } from '../plan/plan.ts'

/** A response. A list is sent as repeated headers; null is no body. */
export interface RestResponse {
  status: number
  /** Set if SQL chose one. */
  statusText?: string
  headers: Record<string, string | string[]>
  body: string | Uint8Array | null
}

/** Headers that every response depends on, for caches (PostgREST 16). */
export const vary = { Vary: 'Accept, Prefer, Range' }

/** Headers of a body. PostgREST's own text types are UTF-8; the encoding of others is unknown. */
export function contentHeaders(request: RestRequest, { kind, mime }: Media): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': kind === 'other' || kind === 'octets' ? mime : `${mime}; charset=utf-8`,
  }
  if (request.includesProfile) headers['Content-Profile'] = request.schema
  return headers
}

/** The response to OPTIONS, with the allowed methods. */
export function renderOptions(allowed: string[]): RestResponse {
  return {
    status: 200,
    headers: { Allow: allowed.join(','), 'Access-Control-Allow-Origin': '*', ...vary },
    body: '',
  }
}

/** The response with the result of EXPLAIN, one line for each row. */
export function renderPlan(request: RestRequest, { output }: Plan, rows: RowBytes[]): RestResponse {
  const body = rows.map(([line]) => `${line!.toString()}\n`).join('')
  return {
    status: 200,
    headers: { ...contentHeaders(request, output.media), ...vary },
    body: request.headersOnly ? null : body,
  }
}
