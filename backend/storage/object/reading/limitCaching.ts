/** The last moment that a Date can hold. */
const latestDate = 8_640_000_000_000_000

/**
 * The headers of an answer to a link: as upstream has it, it may be kept for as long as the link is good, and no longer,
 * whatever the object's own `Cache-Control` says. Only by the reader: whoever shares a cache was not given the link.
 * @param until when the link ends, in seconds since 1970; undefined for what is no link's answer
 */
export function limitCaching(
  fields: Record<string, string>,
  until: number | undefined,
): Record<string, string> {
  if (until === undefined) return fields
  const left = Math.max(0, until - Math.ceil(Date.now() / 1000))
  return {
    ...fields,
    'Cache-Control': `private, max-age=${left}`,
    Expires: new Date(Math.min(until * 1000, latestDate)).toUTCString(),
  }
}
