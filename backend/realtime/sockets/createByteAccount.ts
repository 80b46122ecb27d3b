import type { Budget } from '../../budgets/createBudget.ts'

/** The buffered bytes of one connection, counted in a shared budget. */
export interface ByteAccount {
  /** Sets the amount that is buffered now; returns false, and counts nothing, if it exceeds the caller's share. */
  set(key: string, bytes: number): boolean
}

/** Not counted, since nearly every connection buffers this much at times. */
const freeBytes = 4 * 1024

export function createByteAccount(budget: Budget): ByteAccount {
  let owner = ''
  let counted = 0
  return {
    set(key, bytes) {
      const amount = bytes > freeBytes ? bytes : 0
      if (amount === counted && (counted === 0 || key === owner)) return true
      if (key === owner && amount < counted) {
        budget.release(owner, counted - amount)
        counted = amount
        return true
      }
      if (key === owner && budget.take(key, amount - counted)) {
        counted = amount
        return true
      }
      if (counted > 0) budget.release(owner, counted)
      counted = 0
      owner = key
      if (amount === 0) return true
      if (!budget.take(key, amount)) return false
      counted = amount
      return true
    },
  }
}
