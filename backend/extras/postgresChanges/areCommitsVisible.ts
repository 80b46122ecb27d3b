import type pg from 'pg'

/**
 * Whether these transactions are visible to new snapshots. The WAL contains a commit a moment before other sessions see
 * it: policies checked in between would not find the row.
 * @param transactions the low 32 bits of their IDs
 */
export async function areCommitsVisible(
  client: pg.ClientBase,
  transactions: Iterable<number>,
): Promise<boolean> {
  const { rows } = await client.query<{ xmax: string; open: string[] }>({
    name: 'realtime_snapshot',
    text: `select pg_snapshot_xmax(s)::text as xmax, array(select x::text from pg_snapshot_xip(s) x) as open
           from pg_current_snapshot() s`,
  })
  const { xmax, open } = rows[0]!
  const limit = BigInt(xmax)
  const running = new Set(open.map((number) => BigInt(number)))
  for (const transaction of transactions) {
    const full = nearest(BigInt(transaction), limit)
    if (full >= limit || running.has(full)) return false
  }
  return true
}

const epoch = 1n << 32n

/** The transaction ID with those low bits that is nearest to `to`. */
function nearest(low: bigint, to: bigint): bigint {
  const candidate = to - (to % epoch) + low
  if (candidate - to > epoch / 2n) return candidate - epoch
  return to - candidate > epoch / 2n ? candidate + epoch : candidate
}
