/**
 * `Content-Range` of a partial response. If a backend on another origin does not expose it to scripts (self-hosted
 * Supabase by default), it is computed from the requested range and the length; null if these don't suffice.
 * @param requestedRange the request's `Range`
 */
export function contentRange(upstream: Headers, requestedRange: string | null): string | null {
  const own = upstream.get('content-range')
  if (own !== null) return own
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(requestedRange ?? '') ?? []
  const length = Number(upstream.get('content-length'))
  if (first === undefined || length === 0) return null
  const end = Number(first) + length - 1
  // Less than was requested: the file ends there.
  const isAtEnd = last === '' || end < Number(last)
  return `bytes ${first}-${end}/${isAtEnd ? end + 1 : '*'}`
}
