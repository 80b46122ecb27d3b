/** The latest time of a Date. */
const latestDate = 8_640_000_000_000_000

/**
 * The headers of a response to a signed link: it may be cached until the link expires, as upstream's, whatever the
 * object's `Cache-Control`, and only privately: users of a shared cache may not have the link.
 * @param until expiry of the link in seconds since 1970; undefined without a link
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
