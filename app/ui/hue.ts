/** The hues of faces, far enough apart to be told at 20 px. */
const HUES = [60, 150, 240, 20, 300, 105, 195, 340]

/** A hue (OKLCH degrees) that always belongs to this id. */
export function hueOf(id: string): number {
  let sum = 0
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return HUES[sum % HUES.length] ?? 60
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The first letter as people see it (one grapheme), in upper case where the script has one. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name.trim())
  return first ? first.segment.toLocaleUpperCase() : '?'
}
