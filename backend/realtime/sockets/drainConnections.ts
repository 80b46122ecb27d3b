import type { Connection } from './connection.ts'

/**
 * Closes are spread over time: realtime-js reconnects after exactly 1 s, then 2, 5 and 10 s more, without jitter, so
 * clients that are closed at the same time would all join at the same time, at each attempt.
 */
const stagger = { perSocketMs: 1, maxMs: 1_000 }
const stepMs = 10
/** For the last one to respond; then all are terminated. */
const closeTimeoutMs = 1_000

/** Closes all connections with 1012 ("service restart"), one after the other; resolves when all are closed. */
export async function drainConnections(connections: Iterable<Connection>): Promise<void> {
  const all = [...connections]
  const durationMs = Math.min(all.length * stagger.perSocketMs, stagger.maxMs)
  const started = performance.now()
  let ended = 0
  await new Promise<void>((resolve) => {
    const endDue = (): void => {
      const due = Math.ceil((all.length * (performance.now() - started + stepMs)) / durationMs)
      while (ended < all.length && ended < due) all[ended++]!.end(1012, 'Restarting')
      if (ended < all.length) setTimeout(endDue, stepMs)
      else resolve()
    }
    endDue()
  })
  const cut = setTimeout(() => {
    for (const connection of all) connection.terminate()
  }, closeTimeoutMs)
  await Promise.all(all.map((connection) => connection.whenClosed))
  clearTimeout(cut)
}
