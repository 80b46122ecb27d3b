/** Marks that override the direction: "gpj.exe" would be displayed as "exe.jpg". */
const overrides = /[\u202a-\u202e\u2066-\u2069]/gu
/** Letters that join with adjacent ones: split, they would have other forms. */
const joined = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u

/** Letters before the extension that are always shown with it. */
const BEFORE_ENDING = 5
/** Shorter names are not split. */
const SHORT = 24

/**
 * Splits a file name in two: the first part is truncated at its end where space is short, the second with the
 * extension is always shown. Direction overrides are removed.
 */
export function nameParts(name: string): readonly [string, string] {
  const shown = name.replace(overrides, '')
  if (shown.length <= SHORT) return [shown, '']
  const letters = [...new Intl.Segmenter().segment(shown)].map(({ segment }) => segment)
  const dot = letters.lastIndexOf('.')
  const ending = dot > 0 && letters.length - dot <= 12 ? dot : letters.length
  let cut = Math.max(1, ending - BEFORE_ENDING)
  while (cut < ending && (joined.test(letters[cut]!) || letters[cut] === ' ')) cut++
  return [letters.slice(0, cut).join(''), letters.slice(cut).join('')]
}
