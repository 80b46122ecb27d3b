import { fileKinds } from '../../../wire/fileKinds.ts'
import type { FileFilter } from '../../data/files/listing/createListing.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Parses a filter from a query: `type`, `by` (a profile), `name`. Invalid values are ignored. */
export function parseFilter(channelId: string | null, search: string): FileFilter {
  const query = new URLSearchParams(search)
  const by = query.get('by') ?? ''
  return {
    channelId,
    kind: fileKinds.find((kind) => kind === query.get('type')) ?? null,
    author: UUID.test(by) ? by.toLowerCase() : null,
    terms: (query.get('name') ?? '').trim().slice(0, 255),
  }
}

/** The query that `parseFilter` parses to this filter; empty without a filter. */
export function formatFilter({ kind, author, terms }: FileFilter): string {
  const query = new URLSearchParams()
  if (kind) query.set('type', kind)
  if (author) query.set('by', author)
  if (terms) query.set('name', terms)
  return query.toString()
}
