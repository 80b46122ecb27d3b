/** Parsed TOML. */
export type ConfigTree = Record<string, unknown>

export const isTable = (value: unknown): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Merges two trees, table by table; values of `over` win. */
export function mergeTrees(under: ConfigTree, over: ConfigTree): ConfigTree {
  const merged: ConfigTree = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined
    merged[name] = isTable(below) && isTable(value) ? mergeTrees(below, value) : value
  }
  return merged
}

/** The value at a path ("auth.email.smtp.host"); undefined if there is none. */
export function valueAt(tree: ConfigTree, path: string): unknown {
  let value: unknown = tree
  for (const key of path.split('.')) {
    value = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** The paths of all values that are not tables. */
export function listPaths(tree: ConfigTree, above: string[] = []): string[] {
  return Object.entries(tree).flatMap(([name, value]) =>
    isTable(value) ? listPaths(value, [...above, name]) : [[...above, name].join('.')],
  )
}
