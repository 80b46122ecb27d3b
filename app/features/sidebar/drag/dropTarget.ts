/** A part of the side as it is drawn: pixels from the top of the list. */
export interface GroupLayout {
  key: string
  /** Where its heading begins and ends. */
  top: number
  head: number
  bottom: number
  /** Its rows without the carried one; empty while it is folded. */
  rows: readonly { top: number; bottom: number }[]
  /** How many it holds, drawn or not, without the carried one. */
  count: number
  isManuallyOrdered: boolean
  isAllowed: boolean
}

export interface DropTarget {
  key: string
  index: number
  /** Where the line is drawn; null: the whole part is marked, since it has an order of its own. */
  line: number | null
}

/** Where what is carried would land at `y`; null: nowhere. */
export function dropTargetAt(layouts: readonly GroupLayout[], y: number): DropTarget | null {
  const layout = layouts.find((one) => y < one.bottom) ?? layouts.at(-1)
  if (!layout?.isAllowed) return null
  if (!layout.isManuallyOrdered) return { key: layout.key, index: layout.count, line: null }
  // Folded ones show few of their rows: it goes to the end.
  if (layout.rows.length < layout.count) return { key: layout.key, index: layout.count, line: null }
  const above = layout.rows.filter((row) => (row.top + row.bottom) / 2 < y).length
  return {
    key: layout.key,
    index: above,
    line: layout.rows[above]?.top ?? layout.rows.at(-1)?.bottom ?? layout.head,
  }
}

/** Among which of the sections made by hand a carried one would land at `y`, itself left out. */
export function sectionTargetAt(
  others: readonly Pick<GroupLayout, 'top' | 'bottom'>[],
  y: number,
): Omit<DropTarget, 'key'> {
  const above = others.filter((one) => (one.top + one.bottom) / 2 < y).length
  return { index: above, line: others[above]?.top ?? others.at(-1)?.bottom ?? null }
}
