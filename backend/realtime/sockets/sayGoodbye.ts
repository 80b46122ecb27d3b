import type { Connection } from './connection.ts'

/**
 * Each socket's place in the goodbye. realtime-js comes back after exactly 1 s, then 2, 5 and 10 s more, without
 * chance: those told in one moment would all ask for their topics in one moment, at each attempt.
 */
const apart = { perSocketMs: 1, mostMs: 1_000 }
const stepMs = 10
/** For the last of them to answer; then the line is cut. */
const patienceMs = 1_000

/** Tells all to come back (1012, "service restart"), one after the other; resolves when all are gone. */
export async function sayGoodbye(connections: Iterable<Connection>): Promise<void> {
  const all = [...connections]
  const lastsMs = Math.min(all.length * apart.perSocketMs, apart.mostMs)
  const started = performance.now()
  let told = 0
  await new Promise<void>((resolve) => {
    const tell = (): void => {
      const due = Math.ceil((all.length * (performance.now() - started + stepMs)) / lastsMs)
      while (told < all.length && told < due) all[told++]!.end(1012, 'Restarting')
      if (told < all.length) setTimeout(tell, stepMs)
      else resolve()
    }
    tell()
  })
  const cut = setTimeout(() => {
    for (const connection of all) connection.terminate()
  }, patienceMs)
  await Promise.all(all.map((connection) => connection.whenClosed))
  clearTimeout(cut)
}
