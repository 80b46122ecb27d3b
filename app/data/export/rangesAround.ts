/** Consecutive numbers of messages, from the first to the last. */
export interface Range {
  from: number
  to: number
}

/** The number of a message, and whether it is shown without the messages around it. */
export interface Centre {
  number: number
  isAlone: boolean
}

/** Messages before and after each own message that an export has as its context. */
const BEFORE = 3
const AFTER = 1

/** The ranges of numbers around these numbers. Overlapping and adjacent ranges are one. */
export function rangesAround(centres: readonly Centre[]): Range[] {
  const all = centres.map(({ number, isAlone }) =>
    isAlone ? { from: number, to: number } : { from: Math.max(1, number - BEFORE), to: number + AFTER },
  )
  const ranges: Range[] = []
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = ranges.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}
