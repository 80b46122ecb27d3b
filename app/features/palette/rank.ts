import { folded } from '../composer/mentionText.ts'

interface Rankable {
  name: string
  /** Other words it is found by: whole names, synonyms. */
  also?: string
  /** What stands first among those that fit equally well; nothing is 0. */
  weight?: number
}

/** Signs that only hold scripts apart. */
const ISOLATES = /[\u2066-\u2069]/g
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }

/** Letters as a keyboard without accents has them. */
function plain(words: string): string {
  return folded(words.replaceAll(ISOLATES, '')).replaceAll(/[ßæœøłđı]/g, (letter) => PLAIN[letter] ?? letter)
}

/** Where the words asked for stand in a name: 0 at its start, 1 at a word's, 2 each at some word's, 3 within. */
function shelfOf(name: string, wanted: string, parts: string[]): number | null {
  const at = name.indexOf(wanted)
  if (at === 0) return 0
  const words = name.split(/[^\p{L}\p{N}]+/u)
  if (at > 0 && !/[\p{L}\p{N}]/u.test(name[at - 1] ?? '')) return 1
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return 2
  return at > 0 ? 3 : null
}

/**
 * Those that the query finds, best first: by where it stands in the name, then by weight, then as given. Accents,
 * case and a leading # or @ don't matter. An empty query finds all.
 */
export function rank<C extends Rankable>(choices: readonly C[], query: string): C[] {
  const wanted = plain(query.trim().replace(/^[#@]/, ''))
  const heavier = (a: C, b: C) => (b.weight ?? 0) - (a.weight ?? 0)
  if (!wanted) return [...choices].sort(heavier)
  const parts = wanted.split(/\s+/)
  const shelves: C[][] = [[], [], [], [], []]
  for (const choice of choices) {
    const shelf = shelfOf(plain(choice.name), wanted, parts)
    if (shelf !== null) shelves[shelf]?.push(choice)
    else if (choice.also && shelfOf(plain(choice.also), wanted, parts) !== null) shelves[4]?.push(choice)
  }
  return shelves.flatMap((shelf) => shelf.sort(heavier))
}
