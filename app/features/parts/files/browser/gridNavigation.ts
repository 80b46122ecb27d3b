/**
 * The index that an arrow key moves to among `count` files in `columns`; null for other keys.
 * @param direction 1 for left to right, -1 for right to left
 */
export function nextGridIndex(
  key: string,
  at: number,
  count: number,
  columns: number,
  direction: 1 | -1,
): number | null {
  const across = columns > 1 ? direction : 0
  const steps: Record<string, number> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    ArrowRight: across,
    ArrowLeft: -across,
  }
  if (count === 0) return null
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = steps[key]
  if (!step) return null
  const to = at + step
  // Below the last full row, only the end of the last row can be reached.
  if (to >= count) {
    return step === columns && Math.floor(at / columns) < Math.floor((count - 1) / columns) ? count - 1 : at
  }
  return to < 0 ? at : to
}
