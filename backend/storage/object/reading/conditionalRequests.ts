import type { IncomingHttpHeaders } from 'node:http'

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether the client's copy is still valid (RFC 9110, 13.1.2 and 13.1.3), so that the response is 304. */
export function isNotModified(
  headers: IncomingHttpHeaders,
  object: { etag: string; lastModified: Date },
): boolean {
  const none = headers['if-none-match']
  if (none !== undefined) {
    return none.trim() === '*' || none.split(',').some((tag) => opaque(tag) === opaque(object.etag))
  }
  return isUnmodified(headers['if-modified-since'], object.lastModified)
}

/** Whether a `Range` applies: `If-Range` is absent or matches. */
export function isRangeApplicable(
  headers: IncomingHttpHeaders,
  object: { etag: string; lastModified: Date },
): boolean {
  const condition = headers['if-range']
  if (typeof condition !== 'string') return true
  if (condition.startsWith('"')) return condition === object.etag
  return !condition.startsWith('W/') && isUnmodified(condition, object.lastModified)
}

/** HTTP dates have whole seconds. */
function isUnmodified(since: string | undefined, lastModified: Date): boolean {
  const time = since === undefined ? Number.NaN : Date.parse(since)
  return !Number.isNaN(time) && Math.floor(lastModified.getTime() / 1000) * 1000 <= time
}
