/** A file at an address of this origin that the worker alone answers. */
export interface AttachedFile {
  /** In the bucket `files`: `<channel>/<upload>/<file|thumb>`. */
  path: string
  /** The file name, if the address contains one. */
  name: string
  /** Whether it shall be saved rather than shown. */
  download: boolean
}

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
const pattern = new RegExp(`^/attached/(${uuid}/${uuid}/(?:file|thumb))$`)

/** What an address requests; null when it is none of the worker's. */
export function attachedFile(url: URL, origin: string): AttachedFile | null {
  const path = url.origin === origin ? pattern.exec(url.pathname)?.[1] : undefined
  if (path === undefined) return null
  return { path, name: url.searchParams.get('name') ?? '', download: url.searchParams.has('download') }
}

/**
 * The address of a file, relative to this origin.
 * @param o.round counts tries: an element loads again only what has another address
 */
export function attachedAddress(
  path: string,
  o: { name?: string; download?: boolean; round?: number } = {},
): string {
  const query = new URLSearchParams()
  if (o.name) query.set('name', o.name)
  if (o.download) query.set('download', '')
  if (o.round) query.set('round', String(o.round))
  return query.size === 0 ? `/attached/${path}` : `/attached/${path}?${query}`
}
