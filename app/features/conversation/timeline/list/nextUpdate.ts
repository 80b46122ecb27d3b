import type { Row } from '../../message/timelineRows.ts'

interface ListUpdate {
  rows: Row[]
  /** Rows were added or removed above the common ones: the position is kept from the end. */
  shift: boolean
  /** Another window of the conversation: no position can be kept. */
  isReplaced: boolean
}

/**
 * The next list between the shown rows and the target. The virtualizer accepts a change at one end at a time: where
 * both ends change (older rows were loaded and the newest dropped), the upper end comes first, and the result is not
 * the target yet.
 * @param isShifting a change above is not over: the virtualizer keeps the distance from the end until scrolling has
 * ended, so that rows added below would move those in view when they are measured
 */
export function nextUpdate(shown: Row[], target: Row[], isShifting = false): ListUpdate {
  const top = shown[0]
  const first = target[0]
  if (!top || !first) return { rows: target, shift: false, isReplaced: shown.length !== target.length }
  if (top.id === first.id)
    return isShifting ? updateAbove(shown, target) : { rows: target, shift: false, isReplaced: false }
  const addedAbove = target.findIndex((row) => row.id === top.id)
  if (addedAbove > 0) return updateAbove([...target.slice(0, addedAbove), ...shown], target)
  const removedAbove = shown.findIndex((row) => row.id === first.id)
  if (removedAbove > 0) return updateAbove(shown.slice(removedAbove), target)
  // The first row was removed, and the rows below it remain.
  const ids = new Set(shown.map((row) => row.id))
  const common = target.findIndex((row) => ids.has(row.id))
  if (common < 0) return { rows: target, shift: false, isReplaced: true }
  const from = shown.findIndex((row) => row.id === target[common]?.id)
  return updateAbove([...target.slice(0, common), ...shown.slice(from)], target)
}

/** Remaining rows are updated at once: only adding and removing rows takes two steps. */
function updateAbove(rows: Row[], target: Row[]): ListUpdate {
  const byId = new Map(target.map((row) => [row.id, row]))
  const updated = rows.map((row) => byId.get(row.id) ?? row)
  const isComplete = updated.length === target.length && updated.every((row, index) => row === target[index])
  return { rows: isComplete ? target : updated, shift: true, isReplaced: false }
}
