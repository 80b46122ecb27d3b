import { foldName, wordsOf, type FoldedName } from './matchNames.ts'

interface Rankable {
  name: string
  /** Other terms that find the item: full names, synonyms. */
  also?: string
  /** Sorts equally good matches, highest first; 0 if absent. */
  weight?: number
}

/** Longer queries are matched exactly only: the cost of typo matching grows with their length. */
const MAX_TOLERANT_LENGTH = 80
/** Maximum length of an abbreviation: one bit for each character. */
const MAX_ABBREVIATION = 24

/**
 * Where the query matches a name: 0 at its start, 1 at the start of a word, 2 each part starts a word, 3 anywhere;
 * null if nowhere.
 */
function exactTier({ text, words }: FoldedName, query: string, parts: readonly string[]): number | null {
  const at = text.indexOf(query)
  if (at === 0) return 0
  if (at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return 1
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return 2
  return at > 0 ? 3 : null
}

/**
 * Whether the query consists of initial letters of words of the name, in their order, from any word on: "fd" and
 * "frde" for "front-desk".
 */
function isAbbreviation(words: readonly string[], query: string): boolean {
  if (query.length < 2 || query.length > MAX_ABBREVIATION) return false
  // Bit n is set if the first n characters of the query can be matched.
  let used = 1
  for (const word of words) {
    let next = used
    for (let from = 0; used >> from > 0; from += 1) {
      if (!((used >> from) & 1)) continue
      for (let count = 1; count <= word.length && query[from + count - 1] === word[count - 1]; count += 1)
        next |= 1 << (from + count)
    }
    used = next
    if ((used >> query.length) & 1) return true
  }
  return false
}

/**
 * Whether all characters of the query occur in the word in their order, starting with its first: "mktg" for
 * "marketing".
 */
function isContraction(word: string, query: string): boolean {
  if (query.length < 3 || word[0] !== query[0]) return false
  let at = 0
  for (const letter of query) {
    at = word.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** Three rows of the distance matrix, reused for each word. */
const rows = [0, 1, 2].map(() => new Uint8Array(MAX_TOLERANT_LENGTH + 4)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

function typoLimit(length: number): number {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

/**
 * Whether at most `maxTypos` typos turn the query into a prefix of the text: a letter inserted, deleted, replaced, or
 * two swapped (restricted Damerau–Levenshtein distance to the nearest prefix).
 */
function startsNearly(text: string, query: string, maxTypos: number): boolean {
  // With one typo, one of the first two letters is still at its position or next to it; this check skips most
  // comparisons.
  const isPlausible =
    text[0] === query[0] || text[0] === query[1] || text[1] === query[0] || text[1] === query[1]
  if (!isPlausible) return false
  const width = Math.min(text.length, query.length + maxTypos)
  let [before, row, next] = rows
  for (let column = 0; column <= width; column += 1) row[column] = column
  for (let at = 1; at <= query.length; at += 1) {
    let lowest = at
    next[0] = at
    for (let column = 1; column <= width; column += 1) {
      const same = query[at - 1] === text[column - 1] ? 0 : 1
      let cost = Math.min(row[column]! + 1, next[column - 1]! + 1, row[column - 1]! + same)
      const isSwapped =
        at > 1 && column > 1 && query[at - 1] === text[column - 2] && query[at - 2] === text[column - 1]
      if (isSwapped) cost = Math.min(cost, before[column - 2]! + 1)
      next[column] = cost
      if (cost < lowest) lowest = cost
    }
    if (lowest > maxTypos) return false
    ;[before, row, next] = [row, next, before]
  }
  for (let column = 0; column <= width; column += 1) if (row[column]! <= maxTypos) return true
  return false
}

/** Whether every part of the query is a word of the name with few typos, or a contraction of one. */
function isNear(words: readonly string[], parts: readonly string[]): boolean {
  return parts.every((part) => {
    const max = typoLimit(part.length)
    return words.some(
      (word) =>
        (max === 0 ? word.startsWith(part) : startsNearly(word, part, max)) || isContraction(word, part),
    )
  })
}

/**
 * The choices that match the query, best first: by the position in the name, then as an abbreviation, then in other
 * terms; by typos only if nothing else matches. Equal matches are sorted by weight, then by the given order. Accents,
 * case and a leading # or @ are ignored. An empty query matches all.
 */
export function rank<C extends Rankable>(choices: readonly C[], query: string): C[] {
  const folded = foldName(query.trim().replace(/^[#@]/, '')).text
  const byWeight = (a: C, b: C) => (b.weight ?? 0) - (a.weight ?? 0)
  if (!folded) return [...choices].sort(byWeight)
  const parts = folded.split(/\s+/)
  const tiers: C[][] = [[], [], [], [], [], []]
  const isTolerant = folded.length <= MAX_TOLERANT_LENGTH
  for (const choice of choices) {
    const name = foldName(choice.name)
    const tier = exactTier(name, folded, parts)
    if (tier !== null) tiers[tier]?.push(choice)
    else if (isTolerant && isAbbreviation(name.words, folded)) tiers[4]?.push(choice)
    else if (choice.also && exactTier(foldName(choice.also), folded, parts) !== null) tiers[5]?.push(choice)
  }
  const found = tiers.flatMap((tier) => tier.sort(byWeight))
  if (found.length > 0 || !isTolerant) return found
  const typed = wordsOf(folded)
  if (typed.length === 0) return []
  return choices.filter((choice) => isNear(foldName(choice.name).words, typed)).sort(byWeight)
}
