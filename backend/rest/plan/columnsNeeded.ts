import type { ReadNode } from './plan.ts'

/**
 * Columns that the answer can't do without: those selected, those that embeds are joined by, and the key
 * for `Location`. No more, since each needs the caller's right to SELECT.
 */
export function columnsNeeded(root: ReadNode, primaryKey: string[]): string[] {
  const selected = root.fields.map(({ field }) => field.name)
  const ordered = root.order.flatMap(({ embed, field }) => (embed ? [] : [field.name]))
  if (selected.includes('*')) return ['*']
  const joined: string[] = []
  for (const { attachment } of root.embeds) {
    const { relationship } = attachment!
    // What a computed relationship reads of its row can't be known.
    if (relationship.kind === 'computed') return ['*']
    joined.push(...relationship.columns.map(([ours]) => ours))
  }
  return [...new Set([...selected, ...ordered, ...joined, ...primaryKey])]
}
