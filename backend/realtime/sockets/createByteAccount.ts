import type { Budget } from '../../budgets/createBudget.ts'

/** What one connection has buffered, counted in a budget that all share. */
export interface ByteAccount {
  /** Sets what is buffered now; returns false where it exceeds the caller's share, and then counts nothing. */
  set(caller: string, bytes: number): boolean
}

/** Not counted: what nearly every connection has buffered at some time. */
const freeBytes = 4 * 1024

export function createByteAccount(budget: Budget): ByteAccount {
  let holder = ''
  let held = 0
  return {
    set(caller, bytes) {
      const wanted = bytes > freeBytes ? bytes : 0
      if (wanted === held && (held === 0 || caller === holder)) return true
      if (caller === holder && wanted < held) {
        budget.release(holder, held - wanted)
        held = wanted
        return true
      }
      if (caller === holder && budget.take(caller, wanted - held)) {
        held = wanted
        return true
      }
      if (held > 0) budget.release(holder, held)
      held = 0
      holder = caller
      if (wanted === 0) return true
      if (!budget.take(caller, wanted)) return false
      held = wanted
      return true
    },
  }
}
