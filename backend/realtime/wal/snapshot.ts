import type { Pool } from '../../postgres/connections/pool.ts'

/** A snapshot of the database with a position of the WAL. */
export interface Snapshot {
  /** xmax: all transactions that had ended, including subtransactions, have smaller IDs. */
  next: bigint
  /** xmin: all transactions and subtransactions with smaller IDs had ended. */
  oldest: bigint
  /** The transactions from `oldest` on that had begun and not ended. */
  open: ReadonlySet<bigint>
  /** A position after the ends of all transactions that had ended. */
  position: bigint
}

export async function readSnapshot(pool: Pick<Pool, 'query'>): Promise<Snapshot> {
  // The snapshot is older than the position, since it is taken when the statement starts.
  const { rows } = await pool.query<{ snapshot: string; at: string }>({
    name: 'realtime_wal_snapshot',
    text: `select pg_current_snapshot()::text as snapshot, (pg_current_wal_insert_lsn() - '0/0')::text as at`,
  })
  const [{ snapshot, at }] = rows as [{ snapshot: string; at: string }]
  const [oldest, next, open] = snapshot.split(':') as [string, string, string]
  return {
    oldest: BigInt(oldest),
    next: BigInt(next),
    open: new Set(open === '' ? [] : open.split(',').map(BigInt)),
    position: BigInt(at),
  }
}

/**
 * Whether a committed transaction is visible to this snapshot.
 * @param transaction the low 32 bits of its ID
 */
export function isVisible({ next, open }: Snapshot, transaction: number): boolean {
  const id = nearestId(BigInt(transaction), next)
  return id < next && !open.has(id)
}

const epoch = 1n << 32n

/** The transaction ID with those low bits that is nearest to `to`. */
function nearestId(low: bigint, to: bigint): bigint {
  const candidate = to - (to % epoch) + low
  if (candidate - to > epoch / 2n) return candidate - epoch
  return to - candidate > epoch / 2n ? candidate + epoch : candidate
}
