/**
 * `Content-Range` of a partial answer. Where a backend on another origin doesn't let scripts read it (self-hosted
 * Supabase, as it comes), told from what was asked for and how much came; null where even that doesn't say it.
 * @param asked the request's `Range`
 */
export function contentRange(said: Headers, asked: string | null): string | null {
  const own = said.get('content-range')
  if (own !== null) return own
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(asked ?? '') ?? []
  const length = Number(said.get('content-length'))
  if (first === undefined || length === 0) return null
  const end = Number(first) + length - 1
  // Less than was asked for: there the file ends.
  const isAtEnd = last === '' || end < Number(last)
  return `bytes ${first}-${end}/${isAtEnd ? end + 1 : '*'}`
}
