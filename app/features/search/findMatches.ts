import { foldText } from '../composer/completion/matchNames.ts'

/** Words of which matches are highlighted. */
const MAX_WORDS = 50
/** Letters that the search treats as others, and that `foldText` keeps. */
const FOLDED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
}
/** Scripts without spaces: a match begins anywhere. */
const UNSPACED = /^[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]/
const ASCII = /^[\u0020-\u007E\s]*$/

/** Matches within a text: their beginnings and ends, ascending and disjoint. */
export type Matches = readonly (readonly [start: number, end: number])[]

/** Finds the words of a search in texts. */
export type Matcher = (text: string) => Matches

/**
 * A matcher for what the server returns as `highlights`: folded words, beginnings of words, and phrases with one space
 * between words. Case, accents and width are ignored. Without words it finds nothing.
 */
export function createMatcher(words: readonly string[]): Matcher {
  const folded = [...new Set(words.map((word) => foldLetters(word.normalize('NFKC'))))]
    .filter(Boolean)
    .slice(0, MAX_WORDS)
    // The longest of several beginnings.
    .sort((a, b) => b.length - a.length)
  if (folded.length === 0) return () => []
  const any = (chosen: string[]) =>
    chosen
      .map((word) =>
        word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll(' ', '[^\\p{L}\\p{N}]{0,20}'),
      )
      .join('|')
  const spaced = folded.filter((word) => !UNSPACED.test(word))
  const unspaced = folded.filter((word) => UNSPACED.test(word))
  // Within unspaced text matches overlap: each is looked for at every position.
  const patterns = [
    ...(spaced.length > 0 ? [new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(${any(spaced)})`, 'gu')] : []),
    ...(unspaced.length > 0 ? [new RegExp(`(?=(${any(unspaced)}))`, 'gu')] : []),
  ]
  return (text) => {
    const { letters, starts } = ASCII.test(text)
      ? { letters: text.toLowerCase(), starts: null }
      : foldWithPositions(text)
    const found = patterns.flatMap((pattern) =>
      [...letters.matchAll(pattern)].map(({ index, 1: word = '' }): [number, number] => [
        index,
        index + word.length,
      ]),
    )
    const positions = starts
      ? found.map(([start, end]): [number, number] => [starts[start] ?? 0, starts[end] ?? text.length])
      : found
    return joinMatches(positions)
  }
}

function foldLetters(text: string): string {
  // Composed again: Hangul is decomposed too.
  return foldText(text)
    .normalize('NFC')
    .replaceAll(/[ßæœøłđıħς]/g, (letter) => FOLDED[letter] ?? letter)
}

/** The folded text, and for each of its characters where the character of the text begins that it is part of. */
function foldWithPositions(text: string): { letters: string; starts: number[] } {
  let letters = ''
  const starts: number[] = []
  let at = 0
  for (const character of text) {
    const folded = foldLetters(character.normalize('NFKC'))
    for (let index = 0; index < folded.length; index += 1) starts.push(at)
    letters += folded
    at += character.length
  }
  return { letters, starts }
}

/** Matches in ascending order. Adjacent and overlapping ones, such as pairs of characters, become one. */
export function joinMatches(matches: Matches): Matches {
  const joined: [number, number][] = []
  for (const [start, end] of matches.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else joined.push([start, end])
  }
  return joined
}
