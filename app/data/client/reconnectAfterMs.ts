/** Most that each try waits, in ms; the last one counts for all that follow. */
const STEPS = [1_000, 2_000, 5_000, 10_000]

/**
 * How long the socket waits before its nth try (from 1), in ms: the library's own steps, of which it takes some
 * part by chance. Without it all pages that one server's end has cut off come back in the same moment.
 */
export function reconnectAfterMs(tries: number, random: () => number = Math.random): number {
  const step = STEPS[tries - 1] ?? STEPS.at(-1)!
  return step * (0.3 + 0.7 * random())
}
