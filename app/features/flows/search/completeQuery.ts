import type { Operator } from './operators.ts'
import { splitTerms } from './parseQuery.ts'

/** What can be completed at the caret. */
export interface Completion {
  /** The operator whose value is typed; null: the name of an operator. */
  operator: Operator | null
  /** What is typed of it. */
  query: string
  /** After a minus sign, which remains. */
  isExcluded: boolean
  /** What is replaced. */
  start: number
  end: number
}

/** The part of a search that is typed at the caret, if it can be completed: a value, or two letters of an operator. */
export function searchCompletionAt(text: string, caret: number): Completion | null {
  const term = splitTerms(text).find(({ start, end }) => start < caret && caret <= end)
  if (!term || (term.isClosed && caret === term.end)) return null
  const { end, operator, isExcluded } = term
  const start = term.start + (isExcluded ? 1 : 0)
  const raw = text.slice(start, end)
  if (operator === null) {
    const query = raw.slice(0, caret - start)
    return caret === end && /^\p{L}{2,}$/u.test(query) ? { operator, query, isExcluded, start, end } : null
  }
  const typed = raw.slice(0, caret - start)
  const colon = typed.indexOf(':')
  if (colon < 0) return null
  return { operator, query: typed.slice(colon + 1).replace(/^[@#]?["“”„‟«»]?/, ''), isExcluded, start, end }
}

/** The search with a completion, and the caret behind it. A space follows what is complete. */
export function applyCompletion(
  text: string,
  { start, end }: Pick<Completion, 'start' | 'end'>,
  insert: string,
): { text: string; caret: number } {
  const rest = text.slice(end).replace(/^\s+/, '')
  const inserted = insert.endsWith(':') ? insert : `${insert} `
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length }
}

/** The value of a filter, in quotes if it contains spaces. */
export function quoted(name: string): string {
  const value = name.replaceAll(/[\u2066-\u2069"“”„‟«»]/g, '')
  return /\s/.test(value) ? `"${value}"` : value
}

/** The search with the beginning of a filter at its end. */
export function withFilter(text: string, filter: string): string {
  return text.trim() ? `${text.trimEnd()} ${filter}` : filter
}

/** The search without a part. */
export function withoutPart(text: string, { start, end }: Pick<Completion, 'start' | 'end'>): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim()
}
