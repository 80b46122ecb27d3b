const medianOf = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/**
 * The share of pairs in which the value of `first` is greater than that of `second` (Mann-Whitney U over the number of
 * pairs): 0.5 where the times are indistinguishable, whatever the noise.
 */
export function compareTimes(
  first: number[],
  second: number[],
): { share: number; medians: [first: number, second: number] } {
  let longer = 0
  for (const a of first) for (const b of second) longer += a > b ? 1 : a === b ? 0.5 : 0
  return { share: longer / (first.length * second.length), medians: [medianOf(first), medianOf(second)] }
}
