import type { Emoji } from './emojiData.ts'

/** Maximum number of results. */
const MAX_FOUND = 64
const EMOJI = /^(?=\S{1,64}$)(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[#*\d]\uFE0F?\u20E3)/u

/**
 * Emoji of which a term starts with each word of the query; matches in names come first. An emoji matches itself,
 * even if it is newer than the data.
 */
export function findEmoji(all: readonly Emoji[], query: string): Emoji[] {
  const typed = query.trim()
  const exact = all.find(({ emoji }) => withoutVariation(emoji) === withoutVariation(typed))
  if (exact) return [exact]
  if (EMOJI.test(typed)) return [unnamed(typed)]
  const typedTerms = typed
    .toLocaleLowerCase()
    .split(/[\s_:-]+/)
    .filter(Boolean)
    .map((word) => ` ${word}`)
  const found = all.filter(({ terms }) => typedTerms.every((word) => terms.includes(word)))
  const named = (one: Emoji) => typedTerms.every((word) => ` ${one.name}`.toLocaleLowerCase().includes(word))
  return [...found.filter(named), ...found.filter((one) => !named(one))].slice(0, MAX_FOUND)
}

/** An emoji that the data does not have. */
export function unnamed(emoji: string): Emoji {
  return { emoji, name: emoji, terms: '', shortcodes: [], hasTones: false }
}

/** Without variation selector 16: keyboards differ in it. */
function withoutVariation(emoji: string): string {
  return emoji.replaceAll('\uFE0F', '')
}

/**
 * The index that an arrow key moves to on a grid of groups. `lengths`: size of each group; `at`: current index among
 * all. Null above the first row.
 */
export function nextOnGrid(
  lengths: readonly number[],
  at: number,
  key: string,
  columns: number,
): number | null {
  const count = lengths.reduce((sum, length) => sum + length, 0)
  if (key === 'ArrowRight') return Math.min(at + 1, count - 1)
  if (key === 'ArrowLeft') return Math.max(at - 1, 0)
  const rows: number[][] = []
  let from = 0
  for (const length of lengths) {
    for (let start = 0; start < length; start += columns)
      rows.push(Array.from({ length: Math.min(columns, length - start) }, (_, index) => from + start + index))
    from += length
  }
  const row = rows.findIndex((indexes) => indexes.includes(at))
  const column = rows[row]?.indexOf(at) ?? 0
  const next = rows[row + (key === 'ArrowDown' ? 1 : -1)]
  if (!next) return key === 'ArrowUp' ? null : at
  return next[Math.min(column, next.length - 1)] ?? at
}
