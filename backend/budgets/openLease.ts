import type { Budget } from './createBudget.ts'

/** What one request has taken of a budget, in parts, and returns together. */
export interface Lease {
  /** Takes more, or nothing: then it returns false. */
  take(amount: number): boolean
  /** Returns all of it, once; what is taken afterwards is not counted. */
  end(): void
}

export function openLease(budget: Budget, key: string): Lease {
  let taken = 0
  let isOpen = true
  return {
    take(amount) {
      if (!isOpen) return true
      if (!budget.take(key, amount)) return false
      taken += amount
      return true
    },
    end() {
      if (taken > 0) budget.release(key, taken)
      taken = 0
      isOpen = false
    },
  }
}
