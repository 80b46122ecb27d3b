/** A part of the side as it is drawn: pixels from the top of the list. */
export interface Drawn {
  key: string
  /** Where its heading begins and ends. */
  top: number
  head: number
  bottom: number
  /** Its rows without the carried one; empty while it is folded. */
  rows: readonly { top: number; bottom: number }[]
  /** How many it holds, drawn or not, without the carried one. */
  count: number
  byHand: boolean
  allowed: boolean
}

export interface Drop {
  key: string
  index: number
  /** Where the line is drawn; null: the whole part is marked, since it has an order of its own. */
  line: number | null
}

/** Where what is carried would land at `y`; null: nowhere. */
export function dropPlace(parts: readonly Drawn[], y: number): Drop | null {
  const part = parts.find((one) => y < one.bottom) ?? parts.at(-1)
  if (!part?.allowed) return null
  if (!part.byHand) return { key: part.key, index: part.count, line: null }
  // Folded ones show few of their rows: it goes to the end.
  if (part.rows.length < part.count) return { key: part.key, index: part.count, line: null }
  const above = part.rows.filter((row) => (row.top + row.bottom) / 2 < y).length
  return { key: part.key, index: above, line: part.rows[above]?.top ?? part.rows.at(-1)?.bottom ?? part.head }
}

/** Among which of the sections made by hand a carried one would land at `y`, itself left out. */
export function dropSection(others: readonly Pick<Drawn, 'top' | 'bottom'>[], y: number): Omit<Drop, 'key'> {
  const above = others.filter((one) => (one.top + one.bottom) / 2 < y).length
  return { index: above, line: others[above]?.top ?? others.at(-1)?.bottom ?? null }
}
