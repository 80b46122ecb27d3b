const medianOf = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/**
 * How often one of `first` is longer than one of `second`, of all pairs (Mann and Whitney's U over their number):
 * half where nothing can be told from a time, whatever noise lies upon it.
 */
export function compareTimes(
  first: number[],
  second: number[],
): { share: number; medians: [first: number, second: number] } {
  let longer = 0
  for (const a of first) for (const b of second) longer += a > b ? 1 : a === b ? 0.5 : 0
  return { share: longer / (first.length * second.length), medians: [medianOf(first), medianOf(second)] }
}
