import { valueType } from './describeType.ts'

/**
 * A column's default as a JSON value: a literal's value, and for what is written as text any other
 * expression's words (`now()`). Undefined where JSON can't tell it.
 */
export function describeDefault(type: string, expression: string | null): unknown {
  if (expression === null) return undefined
  if (valueType(type) === 'string') return literalOf(type, expression) ?? expression
  try {
    const value: unknown = JSON.parse(expression)
    // Digits past what a double holds would come out as other ones.
    return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? undefined
      : value
  } catch {
    return undefined
  }
}

/** `'sad'::public.mood` is sad. */
function literalOf(type: string, expression: string): string | null {
  const suffix = `::${type}`
  if (!expression.endsWith(suffix)) return null
  const quoted = /^'((?:[^']|'')*)'$/.exec(expression.slice(0, -suffix.length))
  return quoted ? quoted[1]!.replaceAll("''", "'") : null
}
