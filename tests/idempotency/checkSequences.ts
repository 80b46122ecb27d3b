import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { readTables } from '../sync-property/database/tables.ts'
import { checkTables } from '../sync-property/checks/checkTables.ts'
import { indexTables } from '../sync-property/checks/expectedView.ts'
import type { ExpectedMessage } from './senders.ts'

/** What is wrong with the numbers in the database: gaps, duplicates, counts that don't match. */
export async function findGaps(admin: Pool): Promise<string[]> {
  const found = checkTables(indexTables(await readTables(admin)))
  // Each change takes the next revision and is published with it: every revision must have been published once.
  const { rows } = await admin.query(`
    with published as (
      select split_part(topic, ':', 2)::uuid as channel_id, (payload ->> 'rev')::bigint as rev
      from realtime.messages where topic like 'channel:%' and event in ('message', 'changed', 'rev', 'meta'))
    select k.channel_id as channel, k.rev::int as rev, count(t.rev)::int as published, count(distinct t.rev)::int as different
    from public.channel_counters k left join published t on t.channel_id = k.channel_id
    group by k.channel_id, k.rev having count(t.rev) <> k.rev or count(distinct t.rev) <> k.rev`)
  for (const { channel, rev, published, different } of rows) {
    found.push(`rev of ${channel} is ${rev}; ${published} were published, ${different} of them different`)
  }
  return found
}

export async function countDeadlocks(admin: Pool): Promise<number> {
  const { rows } = await admin.query(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  )
  return (rows[0] as { deadlocks: number }).deadlocks
}

/** How many messages are stored as they were written, and which of them precede an earlier one. */
export async function checkArrived(
  admin: Pool,
  written: readonly ExpectedMessage[],
): Promise<{ rows: number; misordered: string[] }> {
  const { rows } = await admin.query({
    text: `select id, channel_id, author_id, thread_root, body, seq::int, thread_seq::int
           from public.messages where id = any ($1)`,
    values: [written.map((one) => one.id)],
  })
  type Row = Record<'id' | 'channel_id' | 'author_id' | 'body', string> & {
    thread_root: Uuid | null
    seq: number | null
    thread_seq: number | null
  }
  const stored = new Map((rows as unknown as Row[]).map((row) => [row.id, row]))
  const misordered: string[] = []
  const last = new Map<string, number>()
  let right = 0
  const check = (scope: string, number: number | null, one: ExpectedMessage) => {
    if (number === null) return
    if (number <= (last.get(scope) ?? 0))
      misordered.push(`“${one.body}” precedes a message that was written earlier`)
    last.set(scope, number)
  }
  for (const one of written) {
    const row = stored.get(one.id)
    if (!row || row.channel_id !== one.channel || row.author_id !== one.author) continue
    if (row.thread_root !== one.root || row.body !== one.body) continue
    if ((row.seq !== null) !== (one.root === null || one.alsoToChannel)) continue
    right += 1
    check(`${one.author} ${one.channel}`, row.seq, one)
    check(`${one.author} ${one.root}`, row.thread_seq, one)
  }
  return { rows: right, misordered }
}
