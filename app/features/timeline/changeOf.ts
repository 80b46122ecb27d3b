import type { Row } from './timelineRows.ts'

/**
 * How a list became another: `above` when rows came or went before those that both have (the reader's place
 * is kept from the end then), `below` for any other change of the same stretch, `other` for another stretch.
 */
export function changeOf(before: Row[], after: Row[]): 'above' | 'below' | 'other' {
  const first = before[0]
  const now = after[0]
  if (!first || !now) return before.length === after.length ? 'below' : 'other'
  if (first.id === now.id) return 'below'
  if (after.some((row) => row.id === first.id)) return 'above'
  if (before.some((row) => row.id === now.id)) return 'above'
  return 'other'
}
