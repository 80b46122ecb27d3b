import { foldText } from '../composer/mentionText.ts'

interface Rankable {
  name: string
  /** Other words it is found by: whole names, synonyms. */
  also?: string
  /** Sorts those that fit equally well, highest first; 0 if absent. */
  weight?: number
}

/** Characters that only isolate the direction of scripts. */
const ISOLATES = /[\u2066-\u2069]/g
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }
/** Anything that separates words of a name. */
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u
/** Longer queries are matched exactly only: the time of tolerant matching grows with their length. */
const MAX_TOLERANT_LENGTH = 80
/** An abbreviation is matched with one bit for each of its characters. */
const MAX_ABBREVIATION = 24

/** Letters as a keyboard without accents has them. */
function plain(text: string): string {
  return foldText(text.replaceAll(ISOLATES, '')).replaceAll(/[ßæœøłđı]/g, (letter) => PLAIN[letter] ?? letter)
}

interface Prepared {
  text: string
  words: readonly string[]
}

/** Prepared texts by the original: each key pressed compares the same thousands of names. */
const prepared = new Map<string, Prepared>()
const MAX_PREPARED = 10_000

function prepare(original: string): Prepared {
  const cached = prepared.get(original)
  if (cached) return cached
  const text = plain(original)
  const entry = { text, words: text.split(SEPARATORS).filter(Boolean) }
  if (prepared.size >= MAX_PREPARED) prepared.clear()
  prepared.set(original, entry)
  return entry
}

/** Where the query is in a name: 0 at its start, 1 at a word's start, 2 its parts start words, 3 within; else null. */
function exactTier({ text, words }: Prepared, query: string, parts: readonly string[]): number | null {
  const at = text.indexOf(query)
  if (at === 0) return 0
  if (at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return 1
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return 2
  return at > 0 ? 3 : null
}

/**
 * Whether the query is made of beginnings of words of the name, in order and starting at any word: "fd" and "frde" for
 * "front-desk".
 */
function isAbbreviation(words: readonly string[], query: string): boolean {
  if (query.length < 2 || query.length > MAX_ABBREVIATION) return false
  // Bit n: some way to match uses up n characters of the query.
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

/** Whether all characters of the query occur in the word in order, from its first on: "mktg" for "marketing". */
function isContraction(word: string, query: string): boolean {
  if (query.length < 3 || word[0] !== query[0]) return false
  let at = 0
  for (const letter of query) {
    at = word.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** Three rows of the matrix of distances, used again for each word. */
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
 * Whether the query becomes a beginning of the text by at most `most` typos: a letter more, less, another one, or two
 * swapped (restricted Damerau–Levenshtein distance to the nearest prefix).
 */
function startsNearly(text: string, query: string, maxTypos: number): boolean {
  // One typo leaves one of the first two letters in or beside its place; this spares most comparisons.
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
 * Those that the query finds, best first: by where it is in the name, then as an abbreviation of it, then in other
 * words; only if none fits so far, by typos. Among equals by weight, then in the given order. Accents, case and a
 * leading # or @ don't matter. An empty query finds all.
 */
export function rank<C extends Rankable>(choices: readonly C[], query: string): C[] {
  const folded = plain(query.trim().replace(/^[#@]/, ''))
  const byWeight = (a: C, b: C) => (b.weight ?? 0) - (a.weight ?? 0)
  if (!folded) return [...choices].sort(byWeight)
  const parts = folded.split(/\s+/)
  const tiers: C[][] = [[], [], [], [], [], []]
  const isTolerant = folded.length <= MAX_TOLERANT_LENGTH
  for (const choice of choices) {
    const name = prepare(choice.name)
    const tier = exactTier(name, folded, parts)
    if (tier !== null) tiers[tier]?.push(choice)
    else if (isTolerant && isAbbreviation(name.words, folded)) tiers[4]?.push(choice)
    else if (choice.also && exactTier(prepare(choice.also), folded, parts) !== null) tiers[5]?.push(choice)
  }
  const found = tiers.flatMap((tier) => tier.sort(byWeight))
  if (found.length > 0 || !isTolerant) return found
  const typed = folded.split(SEPARATORS).filter(Boolean)
  if (typed.length === 0) return []
  return choices.filter((choice) => isNear(prepare(choice.name).words, typed)).sort(byWeight)
}
