/** Colours of avatars without a picture: hues 30° apart, none near the red of errors and badges, in two tones. */
const HUES = [50, 80, 110, 140, 170, 200, 230, 260, 290, 320, 345]

interface AvatarColor {
  /** Degrees in OKLCH. */
  hue: number
  tone: 'soft' | 'strong'
  /** The part of the avatar that has another hue: none, a corner or the base. */
  pattern: 0 | 1 | 2
}

/** The colour and pattern of an avatar: always the same for an id. */
export function avatarColor(id: string): AvatarColor {
  let hash = 0
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  // The low bits depend on few characters: they are mixed first.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  hash = (hash ^ (hash >>> 12)) >>> 0
  const index = hash % (HUES.length * 2)
  return {
    hue: HUES[index >> 1] ?? 50,
    tone: index % 2 ? 'strong' : 'soft',
    pattern: ((hash >>> 8) % 3) as 0 | 1 | 2,
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Scripts whose letters don't join and are no words by themselves: only these have two initials. */
const ABBREVIATED =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Hebrew}]/u

/**
 * The first graphemes of the first and last word of a name, in upper case; only one for a single word, for scripts
 * without such abbreviations, and with a `max` of 1. "?" for an empty name.
 */
export function initialsOf(name: string, max: 1 | 2 = 2): string {
  const words = name.trim().split(/\s+/)
  const lettered = words.filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const first = firstGrapheme(lettered[0] ?? words[0] ?? '')
  const last = lettered.length > 1 ? firstGrapheme(lettered.at(-1) ?? '') : ''
  if (!first) return '?'
  return max > 1 && ABBREVIATED.test(first) && ABBREVIATED.test(last) ? first + last : first
}

function firstGrapheme(word: string): string {
  const [first] = graphemes.segment(word)
  return first ? first.segment.toLocaleUpperCase() : ''
}
