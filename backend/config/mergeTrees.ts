import { isTable, type ConfigTree } from './readTree.ts'

/** `over` laid on `under`, table by table; where both have a value, `over`'s stands. */
export function mergeTrees(under: ConfigTree, over: ConfigTree): ConfigTree {
  const merged: ConfigTree = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined
    merged[name] = isTable(below) && isTable(value) ? mergeTrees(below, value) : value
  }
  return merged
}
