import { foldLetters } from '../../../data/search/foldLetters.ts'

/** Words of which matches are highlighted. */
const MAX_WORDS = 50
/** Letters of scripts without spaces, symbols and emoji: a match can begin at each. `app.unspaced_letters` has the same ranges. */
const UNSPACED_LETTER = String.raw`[\u0E00-\u0E3E\u0E40-\u0E4E\u0E50-\u0E59\u0E80-\u0EFF\u0F00\u0F18\u0F19\u0F20-\u0F33\u0F35\u0F37\u0F39\u0F3E-\u0F84\u0F86-\u0FBC\u0FC6\u1000-\u1049\u104C-\u109F\u1780-\u17D3\u17D7\u17DC-\u17FF\u1950-\u1A1B\u1A20-\u1A99\u1AA7\u1B00-\u1B59\u2190-\u2BFF\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303B\u303C\u3040-\u318F\u31A0-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA980-\uA9C0\uA9CF-\uA9DD\uA9E0-\uA9FF\uAA60-\uAADD\uAC00-\uD7AF\uF900-\uFAFF\u{1B000}-\u{1B16F}\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFF}]`
const UNSPACED = new RegExp(`^${UNSPACED_LETTER}`, 'u')
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
  const folded = [...new Set(words.map((word) => foldLetters(word)))]
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
    ...(spaced.length > 0
      ? [new RegExp(`(?:(?<![\\p{L}\\p{M}\\p{N}])|(?<=${UNSPACED_LETTER}))(${any(spaced)})`, 'gu')]
      : []),
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

/** The folded text, and for each of its characters where the character of the text begins that it is part of. */
function foldWithPositions(text: string): { letters: string; starts: number[] } {
  let letters = ''
  const starts: number[] = []
  let at = 0
  for (const character of text) {
    const folded = foldLetters(character)
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
