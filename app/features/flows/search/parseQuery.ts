import { isChannel } from '../../../../wire/channels.ts'
import type { SearchFilters } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { foldText } from '../../parts/matching/matchNames.ts'
import { findContent, findOperator, findPlace, isExcludable, isMe, type Operator } from './operators.ts'
import { parsePeriod, type CalendarContext } from './parsePeriod.ts'

/** The maximum length of a search. Further characters are ignored. */
export const MAX_QUERY = 500
/**
 * The maximum number of people or conversations of one filter. A beginning that more names share is not specific
 * enough.
 */
const MAX_MATCHES = 10

export interface NamedItem {
  id: Uuid
  name: string
}

export interface NamedConversation extends NamedItem {
  kind: 'public' | 'private' | 'direct' | 'group'
}

/** The people, conversations and calendar to which names and dates of a search refer. */
export interface QueryContext extends Omit<CalendarContext, 'now'> {
  me: Uuid
  people: readonly NamedItem[]
  groups?: readonly NamedItem[]
  conversations: readonly NamedConversation[]
}

/** The reason why a filter is not applied. */
export type Problem =
  | 'nobody'
  | 'no_conversation'
  /** More names match than a filter can have. */
  | 'too_many'
  | 'bad_date'
  | 'bad_value'
  | 'excluded_filter'

/** A filter as it is written in the search, from `start` to `end`. */
export interface WrittenFilter {
  operator: Operator
  value: string
  isExcluded: boolean
  start: number
  end: number
  /** Null if it is applied, or if its value is still missing. */
  problem: Problem | null
}

export interface ParsedQuery {
  /** Words, phrases in quotes and excluded ones after a minus sign, as the server reads them. */
  text: string
  filters: SearchFilters
  written: readonly WrittenFilter[]
}

/** A minus sign, the name of an operator, then a value in quotes, or up to the next space. */
const TERM = /(-?)(?:(\p{L}+):)?(?:[@#]?["“”„‟«»]([^"“”„‟«»]*)(["“”„‟«»]?)|(\S*))/uy

/** A part of a search as it is written, from `start` to `end`. */
export interface Term {
  raw: string
  start: number
  end: number
  isExcluded: boolean
  /** Null for words and phrases. */
  operator: Operator | null
  /** The value without quotes. For a word or an unknown operator it is the whole term. */
  value: string
  isQuoted: boolean
  /** Whether its quote is closed. */
  isClosed: boolean
}

/** Splits a search into its terms. */
export function splitTerms(input: string): Term[] {
  const source = input.slice(0, MAX_QUERY)
  const terms: Term[] = []
  for (let at = source.search(/\S/); at >= 0 && at < source.length;) {
    TERM.lastIndex = at
    const [raw = '', minus, name, quoted, quote, plain = ''] = TERM.exec(source) ?? []
    const operator = name === undefined ? null : findOperator(name)
    const isQuoted = quoted !== undefined && (operator !== null || name === undefined)
    terms.push({
      raw,
      start: at,
      end: at + raw.length,
      isExcluded: minus === '-',
      operator,
      value: isQuoted || operator ? (quoted ?? plain) : raw,
      isQuoted,
      isClosed: Boolean(quote),
    })
    at += raw.length
    const space = source.slice(at).search(/\S/)
    at = space < 0 ? source.length : at + space
  }
  return terms
}

/**
 * Parses a search: words, "phrases", -excluded words, and filters such as `from:ann`, `in:#rota`, `before:yesterday`
 * or `has:file`, in English or German. Some filters can be excluded: `-from:ann`. A term that only looks like a
 * filter (`https://…`, `10:30`) remains a word. Filters that can't be applied are returned with the reason and are
 * not used.
 */
export function parseQuery(input: string, names: QueryContext, now = new Date()): ParsedQuery {
  const context = { ...names, now }
  const text: string[] = []
  const filters: SearchFilters = {}
  const excluded: SearchFilters = {}
  const written: WrittenFilter[] = []
  for (const term of splitTerms(input)) {
    const { operator, isExcluded, start, end } = term
    if (operator === null) text.push(...textOf(term))
    else {
      const value = term.value.trim()
      const problem = !value
        ? null
        : isExcluded && !isExcludable(operator, value)
          ? 'excluded_filter'
          : addFilter(isExcluded ? excluded : filters, operator, value, term.raw, context)
      written.push({ operator, value, isExcluded, start, end, problem })
    }
  }
  if (Object.keys(excluded).length > 0) filters.not = excluded as NonNullable<SearchFilters['not']>
  return { text: text.join(' '), filters, written }
}

/** Renders a term of the text as the server reads it. A term without letters, digits and symbols is left out. */
function textOf({ value, isQuoted, isExcluded }: Term): string[] {
  const body = value.replaceAll(/["“”„‟«»]/g, ' ').trim()
  if (!/[\p{L}\p{N}\p{S}]/u.test(body)) return []
  return [isQuoted ? `${isExcluded ? '-' : ''}"${body}"` : body]
}

/** Adds a filter. Returns the reason why it can't be applied, or null. */
function addFilter(
  filters: SearchFilters,
  operator: Operator,
  value: string,
  raw: string,
  context: QueryContext & CalendarContext,
): Problem | null {
  switch (operator) {
    case 'from':
    case 'with': {
      const found = isMe(value) ? [context.me] : findNames(context.people, value.replace(/^@/, ''))
      if (found.length === 0) return 'nobody'
      // Conversations with all of these people: those of a common name are not meant together.
      if (operator === 'with' && found.length > 1) return 'too_many'
      return addIds(filters, operator, found)
    }
    case 'in': {
      const found = findConversations(value, raw, context)
      return found.length === 0 ? 'no_conversation' : addIds(filters, 'in', found)
    }
    case 'before':
    case 'after':
    case 'on':
    case 'during': {
      const period = parsePeriod(value, context)
      if (!period) return 'bad_date'
      if (operator === 'before') limitTo(filters, null, period.start)
      else if (operator === 'after') limitTo(filters, period.end, null)
      else limitTo(filters, period.start, period.end)
      return null
    }
    case 'has': {
      const content = findContent(value)
      if (!content) return 'bad_value'
      filters.has = union(filters.has, [content])
      return null
    }
    case 'is': {
      const place = findPlace(value)
      if (!place) return 'bad_value'
      filters.is = union(filters.is, [place])
      return null
    }
    case 'mentions': {
      if (isMe(value)) {
        filters.mentions_me = true
        return null
      }
      const found = findNames([...context.people, ...(context.groups ?? [])], value.replace(/^@/, ''))
      return found.length === 0 ? 'nobody' : addIds(filters, 'mentions', found)
    }
  }
}

function addIds(
  filters: SearchFilters,
  key: 'from' | 'with' | 'in' | 'mentions',
  ids: readonly Uuid[],
): Problem | null {
  const all = union(filters[key], ids)
  if (all.length > MAX_MATCHES) return 'too_many'
  filters[key] = all
  return null
}

function union<V>(before: V[] | undefined, added: readonly V[]): V[] {
  return [...new Set([...(before ?? []), ...added])]
}

/** Narrows the period of the filters. Several dates limit each other. */
function limitTo(filters: SearchFilters, after: Date | null, before: Date | null): void {
  if (after && !(filters.after && filters.after > after.toISOString())) filters.after = after.toISOString()
  if (before && !(filters.before && filters.before < before.toISOString()))
    filters.before = before.toISOString()
}

/**
 * Finds the conversations of the operator `in`. `in:#rota` matches only channels, and `in:@ann` the conversation with
 * Ann.
 */
function findConversations(value: string, raw: string, { conversations, me, people }: QueryContext): Uuid[] {
  const [, sign, name = ''] =
    /^([@#]?)(.*)$/s.exec(value.replace(/^[@#]?/, (found) => found || signOf(raw))) ?? []
  const candidates = conversations.filter((one) =>
    sign === '#' ? isChannel(one) : sign === '@' ? !isChannel(one) : true,
  )
  const own = people.find(({ id }) => id === me)?.name
  return findNames(candidates, sign === '@' && isMe(name) && own ? own : name)
}

/** Returns the sign before a value in quotes: `in:#"a b"`. */
function signOf(raw: string): string {
  return /:([@#])["“”„‟«»]/.exec(raw)?.[1] ?? ''
}

/**
 * Finds the items with exactly this name. If there are none, it finds items whose words begin with the words of the
 * name.
 */
function findNames(items: readonly NamedItem[], name: string): Uuid[] {
  const folded = foldName(name)
  if (!folded) return []
  const exact = items.filter((item) => foldName(item.name) === folded)
  const parts = folded.split(' ')
  const matching =
    exact.length > 0
      ? exact
      : items.filter((item) => {
          const words = foldName(item.name).split(/[\s\-_.(]+/)
          return (
            foldName(item.name).startsWith(folded) ||
            parts.every((part) => words.some((word) => word.startsWith(part)))
          )
        })
  return matching.map(({ id }) => id)
}

/** Removes quotes, which end a value, and the characters that isolate the direction of a name. */
function foldName(name: string): string {
  return foldText(name.replaceAll(/[\u2066-\u2069"“”„‟«»]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()
}
