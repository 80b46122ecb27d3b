/** An amount (of bytes, connections or places) that callers share. */
export interface Budget {
  /** Takes an amount for a caller, or nothing: then it returns false. */
  take(caller: string, amount?: number): boolean
  /** Takes it although it exceeds the budget: for what exists already and has to be counted. */
  force(caller: string, amount: number): void
  /** Whether `take` would succeed. */
  has(caller: string, amount?: number): boolean
  /** Returns what was taken. */
  release(caller: string, amount?: number): void
  heldBy(caller: string): number
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
  /** What a caller that holds nothing may take although less would remain than it holds; 1 unless given. */
  minimum?: number
  /** What one caller may hold at most, however much is free. */
  maxPerCaller?: number
  /** How many times what it leaves free a caller may hold while no other holds any; 1 unless given. */
  soleCallerFactor?: number
}

/** The server itself, whose amounts are bounded by the capacity alone. */
export const serverCallerKey = ''

/**
 * A caller may hold at most as much as it leaves free: alone half of the capacity, beside another that holds as much
 * as it can a quarter, and so on. Something is left for a caller that has nothing yet, however many exceed their share,
 * and where few are active they may use most of it (dynamic thresholds, Choudhury and Hahne 1998).
 */
export function createBudget(o: BudgetOptions): Budget {
  const { capacity, minimum = 1, maxPerCaller = Infinity, soleCallerFactor = 1 } = o
  const held = new Map<string, number>()
  let used = 0
  let refused = 0

  const has = (caller: string, amount: number): boolean => {
    const free = capacity - used
    if (amount > free) return false
    if (caller === serverCallerKey) return true
    const own = held.get(caller) ?? 0
    if (own + amount > maxPerCaller) return false
    const factor = used === own ? soleCallerFactor : 1
    return own + amount <= (free - amount) * factor || (own === 0 && amount <= minimum)
  }

  const add = (caller: string, amount: number): void => {
    used += amount
    const left = (held.get(caller) ?? 0) + amount
    if (left > 0) held.set(caller, left)
    else held.delete(caller)
  }

  return {
    has: (caller, amount = 1) => has(caller, amount),
    take(caller, amount = 1) {
      if (!has(caller, amount)) {
        refused++
        return false
      }
      add(caller, amount)
      return true
    },
    force: add,
    release: (caller, amount = 1) => add(caller, -amount),
    heldBy: (caller) => held.get(caller) ?? 0,
    stats: () => ({ capacity, used, refused }),
  }
}
