const DIACRITICS = /\p{M}/gu
/** Letters that Unicode does not decompose into a plain letter and a mark. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }
/** Characters that only isolate the direction of text. */
const ISOLATES = /[\u2066-\u2069]/g
/** Anything that separates words of a name. */
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u

/** Lower case without diacritics, as typed on a keyboard without accents: "tomas" finds "Tomás", and "soren" finds "Søren". */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(DIACRITICS, '')
    .toLocaleLowerCase()
    .replaceAll(/[ßæœøłđı]/g, (letter) => PLAIN[letter] ?? letter)
}

/** The words of a folded text. */
export const wordsOf = (text: string): string[] => text.split(SEPARATORS).filter(Boolean)

/** A name and its words, folded and without isolating characters. */
export interface FoldedName {
  text: string
  words: readonly string[]
}

/** Folded names by their original: each key compares the same thousands of names. */
const folded = new Map<string, FoldedName>()
const MAX_FOLDED = 10_000

/** Folds a name, and stores the result for the next comparison. */
export function foldName(name: string): FoldedName {
  const known = folded.get(name)
  if (known) return known
  const text = foldText(name.replaceAll(ISOLATES, ''))
  const entry = { text, words: wordsOf(text) }
  if (folded.size >= MAX_FOLDED) folded.clear()
  folded.set(name, entry)
  return entry
}

/**
 * Returns the names that match a query, at most `max`. Names that start with the query come first. A name also matches if each
 * word of the query starts one of its words. Both groups keep their order.
 */
export function matchNames<P extends { name: string }>(named: readonly P[], query: string, max = 8): P[] {
  const typed = foldText(query)
  // Not by punctuation: in "thanks, @Ann." the name is complete.
  const parts = typed.split(/\s+/).filter(Boolean)
  const starts: P[] = []
  const others: P[] = []
  for (const one of named) {
    const { text, words } = foldName(one.name)
    if (text.startsWith(typed)) starts.push(one)
    else if (parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part))))
      others.push(one)
  }
  return [...starts, ...others].slice(0, max)
}
