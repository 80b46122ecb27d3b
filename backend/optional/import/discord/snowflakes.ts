/** The milliseconds between 1970 and 2015, from which Discord counts. */
const epoch = 1_420_070_400_000n

/** An id of Discord; empty for anything else. */
export function idOf(value: unknown): string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : ''
}

/** The time at which an id was created, in microseconds since 1970. */
export function createdAtOf(id: string): number {
  return Number((BigInt(id) >> 22n) + epoch) * 1_000
}

/** A time such as "2023-11-14T22:13:20.123+01:00" in microseconds since 1970; null for anything else. */
export function microsecondsOf(value: unknown): number | null {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
  const milliseconds = isTime ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? null : milliseconds * 1_000
}
