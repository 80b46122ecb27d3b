/**
 * Delay (ms) before a failed request is repeated: doubles from 1 s up to a bound, half of it random, so that the clients of a
 * restarted server don't return at once. `reconnectAfterMs.ts` is that of the socket, which all clients lose in one moment.
 * @param attempts how many repetitions have failed; 0 before the first one
 */
export function backoff(random: () => number, attempts: number, maxMs = 30_000): number {
  const span = Math.min(maxMs, 1000 * 2 ** Math.min(attempts, 10))
  return span / 2 + (random() * span) / 2
}
