import type { Media } from '../parse/parseMedia.ts'
import type { RestRequest } from '../parse/parseRequest.ts'

/** What every answer depends on, so that a cache keeps it apart (PostgREST 16). */
export const vary = { Vary: 'Accept, Prefer, Range' }

/** What a body is. Text of the contract's own types is UTF-8; of others nothing is known. */
export function contentHeaders(request: RestRequest, { kind, mime }: Media): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': kind === 'other' || kind === 'octets' ? mime : `${mime}; charset=utf-8`,
  }
  if (request.namesProfile) headers['Content-Profile'] = request.schema
  return headers
}
