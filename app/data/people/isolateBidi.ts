/** Letters written from right to left: Hebrew, Arabic and their kin. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/

/**
 * A name within a sentence, held apart where it runs from right to left, so that it turns neither the words
 * beside it nor a full stop (Unicode's first-strong isolate).
 */
export function isolateBidi(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name
}
