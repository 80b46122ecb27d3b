import type { Schema, ValueType } from './document.ts'

/** All other types are strings; null is any JSON value. */
const TYPES = new Map<string, ValueType | null>([
  ['boolean', 'boolean'],
  ['smallint', 'integer'],
  ['integer', 'integer'],
  ['bigint', 'integer'],
  ['numeric', 'number'],
  ['real', 'number'],
  ['double precision', 'number'],
  ['json', null],
  ['jsonb', null],
])

const FORMATS = new Map([
  ['smallint', 'int32'],
  ['integer', 'int32'],
  ['bigint', 'int64'],
])

/** The JSON type of an SQL type (`integer`, `text[]`, `public.mood`); null for any. */
export function valueType(type: string): ValueType | null {
  const known = TYPES.get(type)
  if (known !== undefined) return known
  return type.endsWith('[]') ? 'array' : 'string'
}

/** The OpenAPI format: the SQL type, except for integers. */
export function formatOf(type: string): string {
  return FORMATS.get(type) ?? type
}

/** The SQL type of an array's elements. */
export function elementOf(type: string): string {
  return type.slice(0, -2)
}

/** The schema of a property with this SQL type. */
export function describeType(type: string): Schema {
  const json = valueType(type)
  return {
    ...(json && { type: json }),
    format: formatOf(type),
    ...(json === 'array' && { items: itemsOf(elementOf(type)) }),
  }
}

function itemsOf(element: string): Schema {
  const json = valueType(element)
  return json ? { type: json } : {}
}

/**
 * A column's default as a JSON value: the value of a literal; for textual types also the text of an expression
 * (`now()`). Undefined if JSON can't represent it.
 */
export function describeDefault(type: string, expression: string | null): unknown {
  if (expression === null) return undefined
  if (valueType(type) === 'string') return literalOf(type, expression) ?? expression
  try {
    const value: unknown = JSON.parse(expression)
    // Larger integers would lose precision.
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
