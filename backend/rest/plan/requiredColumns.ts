import type { ReadNode } from './plan.ts'

/**
 * The columns that the response needs: selected ones, join columns of embeds, and the key for `Location`. No others,
 * since each requires the SELECT privilege.
 */
export function requiredColumns(root: ReadNode, primaryKey: string[]): string[] {
  const selected = root.fields.map(({ field }) => field.name)
  const ordered = root.order.flatMap(({ embed, field }) => (embed ? [] : [field.name]))
  if (selected.includes('*')) return ['*']
  const joined: string[] = []
  for (const { attachment } of root.embeds) {
    const { relationship } = attachment!
    // The columns that a computed relationship reads are unknown.
    if (relationship.kind === 'computed') return ['*']
    joined.push(...relationship.columns.map(([ours]) => ours))
  }
  return [...new Set([...selected, ...ordered, ...joined, ...primaryKey])]
}
