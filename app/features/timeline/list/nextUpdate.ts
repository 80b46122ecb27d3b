import type { Row } from '../timelineRows.ts'

interface ListUpdate {
  rows: Row[]
  /** Rows came or went above those that both have: the place is kept from the end. */
  shift: boolean
  /** Another stretch of the conversation: nothing of the place can be kept. */
  isReplaced: boolean
}

/**
 * The next list on the way from what is shown to what is given. The virtualiser takes a change at one end at a
 * time: where both ends change (older words came in and the newest were let go), the upper one comes first, and the
 * answer is not yet what is given.
 */
export function nextUpdate(shown: Row[], target: Row[]): ListUpdate {
  const top = shown[0]
  const first = target[0]
  if (!top || !first) return { rows: target, shift: false, isReplaced: shown.length !== target.length }
  if (top.id === first.id) return { rows: target, shift: false, isReplaced: false }
  const addedAbove = target.findIndex((row) => row.id === top.id)
  if (addedAbove > 0) return updateAbove([...target.slice(0, addedAbove), ...shown], target)
  const removedAbove = shown.findIndex((row) => row.id === first.id)
  if (removedAbove > 0) return updateAbove(shown.slice(removedAbove), target)
  // The first row was removed, and what stands below it stays.
  const ids = new Set(shown.map((row) => row.id))
  const common = target.findIndex((row) => ids.has(row.id))
  if (common < 0) return { rows: target, shift: false, isReplaced: true }
  const from = shown.findIndex((row) => row.id === target[common]?.id)
  return updateAbove([...target.slice(0, common), ...shown.slice(from)], target)
}

/** Rows that stay are shown as they are given: only which of them there are is taken in two steps. */
function updateAbove(rows: Row[], target: Row[]): ListUpdate {
  const byId = new Map(target.map((row) => [row.id, row]))
  const updated = rows.map((row) => byId.get(row.id) ?? row)
  const isComplete = updated.length === target.length && updated.every((row, index) => row === target[index])
  return { rows: isComplete ? target : updated, shift: true, isReplaced: false }
}
