/** What lies at a path of names and places in an answer; undefined where anything on the way is missing. */
export function pick(source: unknown, ...path: (string | number)[]): unknown {
  let value = source
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

/** The text at a path; empty where there is none. */
export function text(source: unknown, ...path: (string | number)[]): string {
  const value = pick(source, ...path)
  return typeof value === 'string' ? value : ''
}

/** An id at a path as text, whether the provider writes it as text or as a number. */
export function idText(source: unknown, ...path: (string | number)[]): string {
  const value = pick(source, ...path)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' ? value : ''
}

/** The list at a path; empty where there is none. */
export function list(source: unknown, ...path: (string | number)[]): unknown[] {
  const value = pick(source, ...path)
  return Array.isArray(value) ? value : []
}
