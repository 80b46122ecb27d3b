import { fileKinds } from '../../../wire/fileKinds.ts'
import type { FileFilter } from '../../data/files/listing/fileList.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Parses a filter from a query: `type`, `by` (a profile), `name`. Invalid values are ignored. */
export function parseFilter(channelId: string | null, query: URLSearchParams): FileFilter {
  const by = query.get('by') ?? ''
  return {
    channelId,
    kind: fileKinds.find((kind) => kind === query.get('type')) ?? null,
    author: UUID.test(by) ? by.toLowerCase() : null,
    terms: (query.get('name') ?? '').trim().slice(0, 255),
  }
}

/** The values of a query that `parseFilter` parses to this filter. */
export function formatFilter({ kind, author, terms }: FileFilter): Record<string, string | null> {
  return { type: kind, by: author, name: terms }
}
