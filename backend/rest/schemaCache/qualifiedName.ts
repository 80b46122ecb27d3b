export interface QualifiedName {
  schema: string
  name: string
}

/** A unique key: names can't contain NUL. */
export function keyOf(schema: string, name: string): string {
  return `${schema}\u0000${name}`
}
