/** Letters that the search treats as others, as `app.fold_text` does. */
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
/**
 * Accents, vowel points and invisible characters within words, which the search ignores. Marks of other scripts are letters
 * like others: `app.fold_text` and `app.text_to_split` have the same ranges.
 */
const IGNORED =
  /\u200D|[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C7\u0640\u064B-\u0652\u0670\u00AD\u200B\u2060\uFEFF]/g

/** A text without case, accents, vowel points and compatibility forms: what the search and keywords compare. */
export function foldLetters(text: string): string {
  // Composed again: Hangul is decomposed too.
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(IGNORED, '')
    .normalize('NFC')
    .replaceAll(/[ßæœøłđıħς]/g, (letter) => FOLDED[letter] ?? letter)
}
