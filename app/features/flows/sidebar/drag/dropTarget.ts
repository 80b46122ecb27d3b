/** Measured layout of a group, in pixels from the top of the list. */
export interface GroupLayout {
  key: string
  /** Top and bottom of the header. */
  top: number
  head: number
  bottom: number
  /** Its rows without the dragged one; empty while the group is collapsed. */
  rows: readonly { top: number; bottom: number }[]
  /** Number of its conversations, rendered or not, without the dragged one. */
  count: number
  isManuallyOrdered: boolean
  isAllowed: boolean
}

export interface DropTarget {
  key: string
  index: number
  /** Where the insertion line is drawn; null marks the whole group, which has a fixed order. */
  line: number | null
}

/** The target of a drop at `y`; null if there is none. */
export function dropTargetAt(layouts: readonly GroupLayout[], y: number): DropTarget | null {
  const layout = layouts.find((one) => y < one.bottom) ?? layouts.at(-1)
  if (!layout?.isAllowed) return null
  if (!layout.isManuallyOrdered) return { key: layout.key, index: layout.count, line: null }
  // A collapsed group shows only some of its rows: the drop appends.
  if (layout.rows.length < layout.count) return { key: layout.key, index: layout.count, line: null }
  const above = layout.rows.filter((row) => (row.top + row.bottom) / 2 < y).length
  return {
    key: layout.key,
    index: above,
    line: layout.rows[above]?.top ?? layout.rows.at(-1)?.bottom ?? layout.head,
  }
}

/** The index among the other sections for a drop at `y`. */
export function sectionTargetAt(
  others: readonly Pick<GroupLayout, 'top' | 'bottom'>[],
  y: number,
): Omit<DropTarget, 'key'> {
  const above = others.filter((one) => (one.top + one.bottom) / 2 < y).length
  return { index: above, line: others[above]?.top ?? others.at(-1)?.bottom ?? null }
}
