/** A range of numbers without gaps, both ends included. `to === from - 1`: known to be empty. */
export interface Range {
  from: number
  to: number
}

/** Adds a range: those that touch or overlap are merged; ascending. */
export function addRange(ranges: readonly Range[], added: Range): Range[] {
  const result: Range[] = []
  let { from, to } = added
  for (const range of ranges) {
    if (range.to < from - 1 || range.from > to + 1) {
      result.push(range)
      continue
    }
    from = Math.min(from, range.from)
    to = Math.max(to, range.to)
  }
  result.push({ from, to })
  return result.sort((a, b) => a.from - b.from)
}

/** The range that contains the number, or null. */
export function rangeOf(ranges: readonly Range[], number: number): Range | null {
  return ranges.find((range) => range.from <= number && number <= range.to) ?? null
}

/** Whether the number is in a range or adjacent to one. */
export function touches(ranges: readonly Range[], number: number): boolean {
  return ranges.some((range) => range.from - 1 <= number && number <= range.to + 1)
}
