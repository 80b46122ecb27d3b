/** Maximum delay (ms) of each attempt; the last one is also that of all later ones. */
const STEPS = [1_000, 2_000, 5_000, 10_000]

/**
 * Delay (ms) before the nth attempt (from 1) to connect: a random part of the library's own delays, so that the clients
 * of a restarted server do not reconnect at the same moment. Not `backoff`, which spreads them less, and is part of a file
 * that the pages of signing in do not load.
 */
export function reconnectAfterMs(tries: number, random: () => number = Math.random): number {
  const step = STEPS[tries - 1] ?? STEPS.at(-1)!
  return step * (0.3 + 0.7 * random())
}
