import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { Uuid } from '../../wire/linnet.ts'
import { readFacts } from '../law/home/facts.ts'
import { brokenRows } from '../law/truth/rows.ts'
import { libraryOf } from '../law/truth/truth.ts'
import type { Written } from './author.ts'

/** What is wrong with the numbers of a home: holes, doubles, counts that don't agree; and deadlocks there were. */
export async function holesIn(admin: Pool): Promise<string[]> {
  const found = brokenRows(libraryOf(await readFacts(admin)))
  // Each change takes the next rev and is told with it: what was told must be all of them, each once.
  const { rows } = await admin.query(`
    with told as (
      select split_part(topic, ':', 2)::uuid as channel_id, (payload ->> 'rev')::bigint as rev
      from realtime.messages where topic like 'channel:%' and event in ('message', 'changed', 'rev', 'meta'))
    select k.channel_id as channel, k.rev::int as rev, count(t.rev)::int as told, count(distinct t.rev)::int as different
    from public.channel_counters k left join told t on t.channel_id = k.channel_id
    group by k.channel_id, k.rev having count(t.rev) <> k.rev or count(distinct t.rev) <> k.rev`)
  for (const { channel, rev, told, different } of rows) {
    found.push(`rev of ${channel} is ${rev}; told were ${told}, ${different} different ones`)
  }
  return found
}

export async function deadlocksOf(admin: Pool): Promise<number> {
  const { rows } = await admin.query(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  )
  return (rows[0] as { deadlocks: number }).deadlocks
}

/** How many of those that were written are there as they were written, and which stand before an earlier one. */
export async function arrived(
  admin: Pool,
  written: readonly Written[],
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
  const there = new Map((rows as unknown as Row[]).map((row) => [row.id, row]))
  const misordered: string[] = []
  const last = new Map<string, number>()
  let right = 0
  const check = (place: string, number: number | null, one: Written) => {
    if (number === null) return
    if (number <= (last.get(place) ?? 0))
      misordered.push(`“${one.body}” stands before what was written earlier`)
    last.set(place, number)
  }
  for (const one of written) {
    const row = there.get(one.id)
    if (!row || row.channel_id !== one.channel || row.author_id !== one.author) continue
    if (row.thread_root !== one.root || row.body !== one.body) continue
    if ((row.seq !== null) !== (one.root === null || one.alsoToChannel)) continue
    right += 1
    check(`${one.author} ${one.channel}`, row.seq, one)
    check(`${one.author} ${one.root}`, row.thread_seq, one)
  }
  return { rows: right, misordered }
}
