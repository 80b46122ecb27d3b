/** The value at a path of keys and indexes; undefined if any of them is missing. */
export function valueAt(source: unknown, ...path: (string | number)[]): unknown {
  let value = source
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

/** The string at a path; empty if there is none. */
export function textAt(source: unknown, ...path: (string | number)[]): string {
  const value = valueAt(source, ...path)
  return typeof value === 'string' ? value : ''
}

/** The id at a path as a string, whether the provider sends a string or a number. */
export function idAt(source: unknown, ...path: (string | number)[]): string {
  const value = valueAt(source, ...path)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' ? value : ''
}

/** The array at a path; empty if there is none. */
export function listAt(source: unknown, ...path: (string | number)[]): unknown[] {
  const value = valueAt(source, ...path)
  return Array.isArray(value) ? value : []
}
