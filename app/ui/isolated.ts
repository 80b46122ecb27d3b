/**
 * A name within a sentence, held apart so that a right-to-left one turns neither the words beside it nor a
 * full stop (Unicode's first-strong isolate).
 */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}
