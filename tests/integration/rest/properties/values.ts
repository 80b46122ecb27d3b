import type { Kind } from './birds.ts'

/** JSON null as the result of `->`, which SQL treats as a value. */
export const JSON_NULL = Symbol('null of JSON')

/** PostgreSQL's text of a JSON value; NULL for JSON null. */
export function textOf(value: unknown): string | null {
  if (value === null || value === JSON_NULL) return null
  if (typeof value === 'string') return value
  return JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2')
}

/** Compares `value` with `text`, parsed: negative, positive or zero. */
export function compare(kind: Kind, value: unknown, text: string): number {
  switch (kind) {
    case 'int':
      return Number(value) - Number(text)
    case 'time':
      return Date.parse(String(value)) - Date.parse(text)
    case 'bool':
      return Number(value) - Number(text === 'true')
    case 'text':
      return Buffer.compare(Buffer.from(String(value)), Buffer.from(text))
    case 'texts':
    case 'json':
      throw new Error(`no order of ${kind} here`)
  }
}

export function equal(kind: Kind, value: unknown, text: string): boolean {
  if (kind === 'texts') return JSON.stringify(value) === JSON.stringify(listOf(text))
  if (kind === 'json') return sameJson(value === JSON_NULL ? null : value, JSON.parse(text))
  return compare(kind, value, text) === 0
}

/** `@>`, or `<@` when `isTurned`. */
export function contains(kind: Kind, value: unknown, text: string, isTurned: boolean): boolean {
  const given: unknown = kind === 'texts' ? listOf(text) : JSON.parse(text)
  const [whole, part] = isTurned ? [given, value] : [value, given]
  if (kind === 'texts') return (part as string[]).every((each) => (whole as string[]).includes(each))
  return containsJson(whole === JSON_NULL ? null : whole, part === JSON_NULL ? null : part, true)
}

export function overlap(value: string[], text: string): boolean {
  return listOf(text).some((each) => value.includes(each))
}

/** LIKE: `*` and `%` are any text, `_` any character; without escapes. */
export function toPattern(text: string, ignoresCase: boolean): RegExp {
  const pattern = text
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/[*%]/g, '.*')
    .replaceAll('_', '.')
  return new RegExp(`^${pattern}$`, ignoresCase ? 'is' : 's')
}

/** The elements of an array literal without quotes. */
function listOf(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

function sameJson(a: unknown, b: unknown): boolean {
  return containsExactly(a, b) && containsExactly(b, a)
}

function containsExactly(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  if (Array.isArray(a) !== Array.isArray(b) || Object.keys(a).length !== Object.keys(b).length) return false
  return Object.entries(b).every(
    ([key, value]) => Object.hasOwn(a, key) && containsExactly((a as Record<string, unknown>)[key], value),
  )
}

/** PostgreSQL's jsonb containment: at the top level, an array may contain a primitive value. */
function containsJson(whole: unknown, part: unknown, isTop: boolean): boolean {
  if (Array.isArray(whole)) {
    if (Array.isArray(part)) return part.every((each) => whole.some((one) => containsJson(one, each, false)))
    return isTop && (part === null || typeof part !== 'object') && whole.includes(part)
  }
  if (Array.isArray(part)) return false
  if (whole === null || part === null || typeof whole !== 'object' || typeof part !== 'object')
    return whole === part
  return Object.entries(part).every(
    ([key, value]) =>
      Object.hasOwn(whole, key) && containsJson((whole as Record<string, unknown>)[key], value, false),
  )
}
