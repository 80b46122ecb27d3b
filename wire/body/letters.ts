/**
 * Scripts whose words are not separated by spaces, for a class of a regular expression. Korean is one of them here, since
 * its particles follow a word without a space.
 */
export const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}`

/** A letter or digit of a script with spaces. The selectors of emoji count as marks of letters in Unicode. */
const WORD = new RegExp(String.raw`^(?![${UNSPACED}\uFE00-\uFE0F])[\p{L}\p{M}\p{N}]`, 'u')
const ASCII_WORD = /^[A-Za-z\d]/
const BLANK = /^\s/

/** Whether a character, or none at the edge of a text, is part of a word that a mark would divide. */
export function isWord(character: string): boolean {
  return character < '\u0080' ? ASCII_WORD.test(character) : WORD.test(character)
}

/** Whether there is no character, or a blank. */
export function isBlank(character: string): boolean {
  return character === '' || BLANK.test(character)
}

/** The character that ends at an index, empty at the beginning of the text. */
export function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1)
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? Math.max(0, at - 2) : Math.max(0, at - 1), at)
}

/** The character that begins at an index, empty at the end of the text. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}
