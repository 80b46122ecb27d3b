/**
 * The microseconds of a `ts`, such as "1700000000.000100", which is a text: a number would lose its last digits. Null if it is
 * none.
 */
export function microsecondsOf(ts: unknown): number | null {
  const match = typeof ts === 'string' ? /^(-?\d{1,12})(?:\.(\d{1,6}))?$/.exec(ts) : null
  if (match === null) return null
  const fraction = Number((match[2] ?? '').padEnd(6, '0'))
  const seconds = Number(match[1])
  return seconds * 1_000_000 + (match[1]!.startsWith('-') ? -fraction : fraction)
}

/** The `ts` of a time in microseconds. */
export function tsOf(microseconds: number): string {
  const [seconds, fraction] = [Math.trunc(microseconds / 1_000_000), Math.abs(microseconds % 1_000_000)]
  const sign = microseconds < 0 && seconds === 0 ? '-' : ''
  return `${sign}${seconds}.${String(fraction).padStart(6, '0')}`
}
