/** A view's column and its unchanged origin in a table or view. */
export interface Target {
  column: number
  originTable: number
  originColumn: number
}

const TARGET_LIST = ':targetList'
/** Depth of the view's own target list: in the tree's list, its query, and that list. */
const QUERY_DEPTH = 2
const ENTRY_DEPTH = 4

/**
 * Finds the columns that a stored query tree (`pg_rewrite.ev_action`) returns unchanged. The tree consists of nested
 * parentheses and braces; a backslash escapes the next character, so that no name can look like structure. Target lists
 * of sub-queries are at other depths and are skipped. One pass, since the tree of a large view has a megabyte.
 */
export function readTargets(tree: string): Target[] {
  const targets: Target[] = []
  let depth = 0
  let isInList = false
  let entry: Target | null = null
  for (let at = 0; at < tree.length; at++) {
    switch (tree.charCodeAt(at)) {
      case 0x5c: // backslash
        at++
        break
      case 0x28: // (
      case 0x7b: // {
        depth++
        if (isInList && depth === ENTRY_DEPTH) entry = { column: 0, originTable: 0, originColumn: 0 }
        break
      case 0x29: // )
      case 0x7d: // }
        if (depth === ENTRY_DEPTH && entry) {
          if (entry.originTable > 0 && entry.originColumn > 0) targets.push(entry)
          entry = null
        }
        depth--
        if (depth === QUERY_DEPTH) isInList = false
        break
      case 0x20: // blank
        if (tree.charCodeAt(at + 1) !== 0x3a) break
        if (depth === QUERY_DEPTH) isInList = tree.startsWith(TARGET_LIST, at + 1)
        else if (entry && depth === ENTRY_DEPTH) readField(tree, at + 1, entry)
    }
  }
  return targets
}

function readField(tree: string, at: number, entry: Target): void {
  if (tree.startsWith(':resno ', at)) entry.column = numberAt(tree, at + ':resno '.length)
  else if (tree.startsWith(':resorigtbl ', at)) {
    entry.originTable = numberAt(tree, at + ':resorigtbl '.length)
  } else if (tree.startsWith(':resorigcol ', at)) {
    entry.originColumn = numberAt(tree, at + ':resorigcol '.length)
  }
}

function numberAt(tree: string, at: number): number {
  let value = 0
  for (let next = at; ; next++) {
    const digit = tree.charCodeAt(next) - 0x30
    if (!(digit >= 0 && digit <= 9)) return value
    value = value * 10 + digit
  }
}
