/** A range of numbers without holes, both ends included. `to === from - 1`: known to be empty. */
export interface Range {
  from: number
  to: number
}

/** The ranges with one more, those that touch or overlap made one; ascending. */
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

/** The range that holds the number, or null. */
export function rangeOf(ranges: readonly Range[], number: number): Range | null {
  return ranges.find((range) => range.from <= number && number <= range.to) ?? null
}

/** Whether the number is loaded, or would lengthen a range at its end or its beginning. */
export function touches(ranges: readonly Range[], number: number): boolean {
  return ranges.some((range) => range.from - 1 <= number && number <= range.to + 1)
}
