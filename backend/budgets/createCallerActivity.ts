/** A caller is alone if no other has been there for so long. */
const aloneMs = 1_000

/** Who used something lately. */
export interface CallerActivity {
  countUse(callerKey: string): void
  /** Whether no other caller has used it within the last second. */
  isAlone(callerKey: string): boolean
}

/** @param now in milliseconds */
export function createCallerActivity(now: () => number): CallerActivity {
  let latest = { callerKey: '', at: -Infinity }
  /** When a caller other than the latest one was there last. */
  let othersAt = -Infinity
  return {
    countUse(callerKey) {
      if (callerKey !== latest.callerKey) othersAt = latest.at
      latest = { callerKey, at: now() }
    },
    isAlone: (callerKey) => (callerKey === latest.callerKey ? othersAt : latest.at) < now() - aloneMs,
  }
}
