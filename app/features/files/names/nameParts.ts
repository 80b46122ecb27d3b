/** Marks that turn the direction of what follows, so that "gpj.exe" would be read as "exe.jpg". */
const overrides = /[\u202a-\u202e\u2066-\u2069]/gu
/** Letters that are joined to their neighbours: cut apart they would be drawn as others. */
const joined = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u

/** Letters before the ending that stay shown with it. */
const BEFORE_ENDING = 5
/** Shorter names fit or lose nothing that matters. */
const SHORT = 24

/**
 * A file's name in two: where there is no room the first part is cut at its end, and the second, with the ending that
 * tells what the file is, stays. Marks that would turn the ending around are left out.
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
