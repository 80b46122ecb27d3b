/** A file with a URL of this origin, to which only the worker responds. */
export interface RequestedFile {
  /** In the bucket `files`: `<channel>/<upload>/<file|thumb>`. */
  path: string
  /** The file name, if the address contains one. */
  name: string
  /** Whether it is saved instead of displayed. */
  download: boolean
}

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
const pattern = new RegExp(`^/attached/(${uuid}/${uuid}/(?:file|thumb))$`)

/** The file of a URL; null if it is none. */
export function requestedFile(url: URL, origin: string): RequestedFile | null {
  const path = url.origin === origin ? pattern.exec(url.pathname)?.[1] : undefined
  if (path === undefined) return null
  return { path, name: url.searchParams.get('name') ?? '', download: url.searchParams.has('download') }
}

/**
 * The URL of a file, relative to this origin.
 * @param o.attempt its number: an element loads a URL again only if it differs
 */
export function attachedAddress(
  path: string,
  o: { name?: string; download?: boolean; attempt?: number } = {},
): string {
  const query = new URLSearchParams()
  if (o.name) query.set('name', o.name)
  if (o.download) query.set('download', '')
  if (o.attempt) query.set('attempt', String(o.attempt))
  return query.size === 0 ? `/attached/${path}` : `/attached/${path}?${query}`
}
