/** A time in microseconds as ISO 8601; null outside of the years that are stored. */
export function timestampOf(microseconds: number): string | null {
  const seconds = Math.floor(microseconds / 1_000_000)
  const date = new Date(seconds * 1_000)
  const year = date.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9_998) return null
  const fraction = String(microseconds - seconds * 1_000_000).padStart(6, '0')
  return `${date.toISOString().slice(0, 19)}.${fraction}Z`
}
