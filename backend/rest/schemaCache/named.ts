export interface Named {
  schema: string
  name: string
}
/** NUL can't occur in a name, so no two names share a key. */

export function keyOf(schema: string, name: string): string {
  return `${schema}\u0000${name}`
}
