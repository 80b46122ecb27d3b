import type { Message, SearchFilters, SearchHit } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import type { ChannelRows } from '../../../data/store/state.ts'
import { createMatcher } from './findMatches.ts'

/** The maximum number of results. */
const MAX_HITS = 50
/** A word or a phrase of a request, which a minus sign excludes. */
const TERM = /(-?)(?:"([^"]*)"|(\S+))/g
/** The filters that the stored rows answer. */
const KNOWN = new Set(['from', 'in', 'before', 'after', 'not', 'order'])

/** Messages that match a search, the newest first, and the words to highlight in them. */
export interface StoredMatches {
  hits: readonly SearchHit[]
  highlights: readonly string[]
}

/**
 * Searches the messages that are stored on this device by words, phrases, excluded words, and the filters for authors, channels
 * and times. Returns null for other filters, which only the server can answer.
 */
export function findStoredMessages(
  channels: ReadonlyMap<Uuid, ChannelRows>,
  { text, filters }: { text: string; filters: SearchFilters },
): StoredMatches | null {
  const { not = {} } = filters
  const others = [
    ...Object.keys(filters).filter((name) => !KNOWN.has(name)),
    ...(not.has ?? []),
    ...(not.is ?? []),
  ]
  if (others.length > 0) return null
  const terms = [...text.matchAll(TERM)].map(([, minus, phrase, word]) => ({
    isExcluded: minus === '-',
    word: phrase ?? word ?? '',
  }))
  const required = terms.filter(({ isExcluded }) => !isExcluded).map(({ word }) => word)
  const matchers = terms.map(({ isExcluded, word }) => ({ isExcluded, find: createMatcher([word]) }))
  const isMatch = (message: Message) => {
    const texts = [message.body, ...message.attachments.map(({ name }) => name)]
    return matchers.every(({ isExcluded, find }) => texts.some((one) => find(one).length > 0) !== isExcluded)
  }
  const hits: SearchHit[] = []
  for (const { entry, messages } of channels.values()) {
    const { id, kind, name } = entry.channel
    if ((filters.in && !filters.in.includes(id)) || not.in?.includes(id)) continue
    for (const message of messages.values()) {
      if (
        message.kind === 'text' &&
        message.deleted_at === null &&
        isWithin(message, filters) &&
        isMatch(message)
      )
        hits.push({ message, channel: { id, kind, name }, file: null, before: null, after: null })
    }
  }
  const time = ({ message }: SearchHit) => Date.parse(message.created_at)
  return { hits: hits.sort((a, b) => time(b) - time(a)).slice(0, MAX_HITS), highlights: required }
}

/** Whether a message has the author and the time of the filters. */
function isWithin({ author_id, created_at }: Message, { from, not, before, after }: SearchFilters): boolean {
  if ((from && !from.includes(author_id)) || not?.from?.includes(author_id)) return false
  const time = Date.parse(created_at)
  return (!before || time < Date.parse(before)) && (!after || time >= Date.parse(after))
}
