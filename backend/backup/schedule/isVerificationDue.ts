import type { LastVerification } from '../state.ts'

/** A week, less the time by which a daily backup can end earlier than the one of a week ago. */
const intervalMs = 6.5 * 24 * 60 * 60 * 1000

/**
 * Whether the next backup is verified: once a week, and after each backup while the last verification has failed. A time in the
 * future counts as never, because the clock was wrong.
 */
export function isVerificationDue(now: Date, last: LastVerification | null): boolean {
  if (last === null || last.failure !== null) return true
  const ageMs = now.getTime() - Date.parse(last.at)
  return ageMs < 0 || ageMs >= intervalMs
}
