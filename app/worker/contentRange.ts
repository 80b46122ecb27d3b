/**
 * `Content-Range` of a partial answer. Where a backend on another origin doesn't let scripts read it (self-hosted
 * Supabase, as it comes), told from what was requested and how much came; null where even that doesn't say it.
 * @param requestedRange the request's `Range`
 */
export function contentRange(upstream: Headers, requestedRange: string | null): string | null {
  const own = upstream.get('content-range')
  if (own !== null) return own
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(requestedRange ?? '') ?? []
  const length = Number(upstream.get('content-length'))
  if (first === undefined || length === 0) return null
  const end = Number(first) + length - 1
  // Less than was requested: there the file ends.
  const isAtEnd = last === '' || end < Number(last)
  return `bytes ${first}-${end}/${isAtEnd ? end + 1 : '*'}`
}
