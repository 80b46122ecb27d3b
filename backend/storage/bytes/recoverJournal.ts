import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { serviceCaller } from '../Storage.ts'
import type { ByteStore } from './createByteStore.ts'

/** Versions queried in one statement. */
const batch = 1000

/**
 * Queries which versions in the journal have rows, removes the files of the others, and clears the journal. Must run
 * before the service accepts requests, when no upload is in progress.
 */
export async function recoverJournal(
  pool: Pool,
  bytes: ByteStore,
): Promise<{ removed: number; keptCount: number }> {
  const versions = await bytes.unsettled()
  let keptCount = 0
  for (let at = 0; at < versions.length; at += batch) {
    const some = versions.slice(at, at + batch)
    const [found] = await runAsCaller(pool, { caller: serviceCaller, readOnly: true }, [
      { text: 'select version from storage.objects where version = any($1)', values: [some] },
    ])
    const needed = new Set(found!.rows.map((row: { version: string }) => row.version))
    for (const version of some) {
      if (needed.has(version)) await bytes.settle(version)
      else await bytes.discard(version)
    }
    keptCount += needed.size
  }
  return { removed: versions.length - keptCount, keptCount }
}
