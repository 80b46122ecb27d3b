/** Letters written from right to left, such as Hebrew and Arabic. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/

/**
 * Isolates a right-to-left name within a sentence, so that it does not reorder adjacent text or punctuation (Unicode's
 * first-strong isolate).
 */
export function isolateBidi(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name
}
