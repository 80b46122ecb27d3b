/** The seed of random tests, which their output names: `LINNET_SEED`, else 1. Never from the clock: a failure can be repeated. */
export const testSeed = Number(process.env['LINNET_SEED'] ?? 1)

/** Random values that a seed determines (mulberry32). */
export interface Random {
  /** 0 ≤ n < 1 */
  next: () => number
  /** An integer from 0 to bound - 1. */
  below: (bound: number) => number
  pick: <T>(list: readonly T[]) => T | undefined
  /** True with this probability. */
  happens: (probability: number) => boolean
  uuid: () => string
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('')
  return {
    next,
    below,
    pick: (list) => list[below(list.length)],
    happens: (probability) => next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  }
}
