/** Quotes an argument for a shell, if it needs that. */
export function quoteArgument(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
