/** How many of a fixed number of slots each caller holds. */
export interface CallerSlots {
  /** Slots that nobody holds. */
  free(): number
  /** Whether a slot is free that this caller may take. */
  canTake(caller: string): boolean
  take(caller: string): void
  /** Returns a slot that this caller holds. */
  release(caller: string): void
  /** The callers that hold slots and may take no other now. */
  saturated(): string[]
}

/**
 * @param o.isShared whether a caller may hold at most as many as it leaves free: alone half of them, beside such a caller a
 * quarter. What hangs for one caller then does not hold the slots of all.
 */
export function createCallerSlots(o: { max: number; isShared: boolean }): CallerSlots {
  const heldBy = new Map<string, number>()
  let held = 0
  const canTake = (caller: string): boolean =>
    held < o.max && (!o.isShared || (heldBy.get(caller) ?? 0) < o.max - held)
  return {
    free: () => o.max - held,
    canTake,
    take(caller) {
      held++
      heldBy.set(caller, (heldBy.get(caller) ?? 0) + 1)
    },
    release(caller) {
      held--
      const left = heldBy.get(caller)! - 1
      if (left === 0) heldBy.delete(caller)
      else heldBy.set(caller, left)
    },
    saturated: () => [...heldBy.keys()].filter((caller) => !canTake(caller)),
  }
}
