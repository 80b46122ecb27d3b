import type { Schema, ValueType } from './document.ts'

/** What isn't said here is written as text; null is JSON, which may be anything. */
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

/** The JSON type of values of an SQL type (`integer`, `text[]`, `public.mood`); null for any. */
export function valueType(type: string): ValueType | null {
  const known = TYPES.get(type)
  if (known !== undefined) return known
  return type.endsWith('[]') ? 'array' : 'string'
}

/** The format that says which SQL type it is, since JSON has few. */
export function formatOf(type: string): string {
  return FORMATS.get(type) ?? type
}

/** The SQL type of an array's elements. */
export function elementOf(type: string): string {
  return type.slice(0, -2)
}

/** A property of that SQL type. */
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
