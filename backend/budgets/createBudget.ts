/** An amount that callers share: bytes, connections or queued entries. A key identifies a caller (`callerKey`). */
export interface Budget {
  /** Takes an amount for a caller, or nothing: then it returns false. */
  take(key: string, amount?: number): boolean
  /** Takes an amount even if it exceeds the budget. Used for amounts that exist already and have to be counted. */
  force(key: string, amount: number): void
  /** Whether `take` would succeed. */
  has(key: string, amount?: number): boolean
  /** Returns an amount that was taken. */
  release(key: string, amount?: number): void
  takenBy(key: string): number
  stats(): BudgetStats
}

export interface BudgetStats {
  capacity: number
  used: number
  /** How often `take` returned false, since the start. */
  refused: number
}

export interface BudgetOptions {
  capacity: number
  /** What a caller who holds nothing may take, even where less than that would remain free; 1 unless given. */
  minimum?: number
  /** The most that one caller may take, however much is free. */
  maxPerCaller?: number
  /**
   * The factor of a caller while no other has taken anything: it may take this many times the free amount. 1 by
   * default.
   */
  soleCallerFactor?: number
}

/** The key of the server itself. Only the capacity limits its amounts. */
export const serverCallerKey = ''

/**
 * Creates a budget. A caller may take at most as much as remains free. A single caller may take half of the capacity.
 * Beside another caller that has taken its maximum, it may take a quarter, and so on. So something always remains for
 * a caller that has taken nothing, and a few active callers may use most of the capacity (dynamic thresholds,
 * Choudhury and Hahne 1998).
 */
export function createBudget(o: BudgetOptions): Budget {
  const { capacity, minimum = 1, maxPerCaller = Infinity, soleCallerFactor = 1 } = o
  const taken = new Map<string, number>()
  let used = 0
  let refused = 0

  const has = (key: string, amount: number): boolean => {
    const free = capacity - used
    if (amount > free) return false
    if (key === serverCallerKey) return true
    const own = taken.get(key) ?? 0
    if (own + amount > maxPerCaller) return false
    const factor = used === own ? soleCallerFactor : 1
    return own + amount <= (free - amount) * factor || (own === 0 && amount <= minimum)
  }

  const add = (key: string, amount: number): void => {
    used += amount
    const left = (taken.get(key) ?? 0) + amount
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
  }

  return {
    has: (key, amount = 1) => has(key, amount),
    take(key, amount = 1) {
      if (!has(key, amount)) {
        refused++
        return false
      }
      add(key, amount)
      return true
    },
    force: add,
    release: (key, amount = 1) => add(key, -amount),
    takenBy: (key) => taken.get(key) ?? 0,
    stats: () => ({ capacity, used, refused }),
  }
}
