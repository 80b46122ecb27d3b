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
