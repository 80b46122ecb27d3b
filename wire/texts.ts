/**
 * Blanks, control characters and characters without a shape, as in `app.invisible_characters` of the schema; a test compares
 * both.
 */
const visible =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- each is a character of its own here
  /[^\0-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D159}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u

/** Whether a text has a character that can be seen. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}

/** The characters that PostgreSQL cannot store: NUL, and half of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- NUL is removed
const unstorable = /\0|\p{Surrogate}/gu

/** The text as PostgreSQL can store it: without NUL, and with U+FFFD in place of half a surrogate pair. */
export function cleanText(text: string): string {
  return text.replaceAll(unstorable, (found) => (found === '\0' ? '' : '\uFFFD'))
}

/** An escape of JSON: a surrogate pair, another character, or a single one such as `\\n`. */
const jsonEscape = /(\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2})|\\u[\dA-Fa-f]{4}|\\[^u]/g

/** A JSON text whose strings are clean (`cleanText`). The rest of it stays unchanged. */
export function cleanJson(json: string): string {
  return cleanText(json).replaceAll(jsonEscape, (escape, pair?: string) => {
    if (pair === undefined && /^\\u0000$/.test(escape)) return ''
    return pair === undefined && /^\\ud[89a-f]/i.test(escape) ? '\\ufffd' : escape
  })
}

/**
 * The text with at most `max` code points, which is how the database counts characters. A longer text is cut after a whole
 * grapheme, such as an emoji of several code points, and ends with `end`. Only a first grapheme that is itself too long is
 * cut in the middle.
 */
export function cutText(text: string, max: number, end = ''): string {
  if (text.length <= max) return text
  // A code point has at most two units; one more shows whether the text is longer.
  const head = Array.from(text.slice(0, 2 * max + 2))
  if (head.length <= max) return text
  const room = max - [...end].length
  let cut = ''
  let length = 0
  for (const { segment } of new Intl.Segmenter().segment(head.join(''))) {
    length += [...segment].length
    if (length > room) break
    cut += segment
  }
  return (cut === '' ? head.slice(0, room).join('') : cut) + end
}

/** Characters without a shape, which a comparison of names ignores. */
const shapeless =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- each is a character of its own here
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]+/gu

/**
 * The form in which names that must be unique are compared, as in `app.name_key` of the schema: without case, width,
 * characters without a shape, and repeated blanks.
 */
export function nameKey(name: string): string {
  return name
    .slice(0, 500)
    .replaceAll(shapeless, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u0085\u2800]+/g, ' ')
    .trim()
}
