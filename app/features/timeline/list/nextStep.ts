import type { Row } from '../timelineRows.ts'

interface Step {
  rows: Row[]
  /** Rows came or went above those that both have: the place is kept from the end. */
  shift: boolean
  /** Another stretch of the conversation: nothing of the place can be kept. */
  anew: boolean
}

/**
 * The next list on the way from what is shown to what is given. The virtualiser takes a change at one end at a
 * time: where both ends change (older words came in and the newest were let go), the upper one comes first, and the
 * answer is not yet what is given.
 */
export function nextStep(shown: Row[], given: Row[]): Step {
  const top = shown[0]
  const first = given[0]
  if (!top || !first) return { rows: given, shift: false, anew: shown.length !== given.length }
  if (top.id === first.id) return { rows: given, shift: false, anew: false }
  const came = given.findIndex((row) => row.id === top.id)
  if (came > 0) return above([...given.slice(0, came), ...shown], given)
  const went = shown.findIndex((row) => row.id === first.id)
  if (went > 0) return above(shown.slice(went), given)
  // The first row was removed, and what stands below it stays.
  const ids = new Set(shown.map((row) => row.id))
  const common = given.findIndex((row) => ids.has(row.id))
  if (common < 0) return { rows: given, shift: false, anew: true }
  const from = shown.findIndex((row) => row.id === given[common]?.id)
  return above([...given.slice(0, common), ...shown.slice(from)], given)
}

/** Rows that stay are shown as they are given: only which of them there are is taken in two steps. */
function above(rows: Row[], given: Row[]): Step {
  const byId = new Map(given.map((row) => [row.id, row]))
  const fresh = rows.map((row) => byId.get(row.id) ?? row)
  const whole = fresh.length === given.length && fresh.every((row, index) => row === given[index])
  return { rows: whole ? given : fresh, shift: true, anew: false }
}
