import { compare } from './rest/compare.ts'
import type { BenchTable } from './table.ts'

const COLUMNS = 'id,seq,body,created_at,reply_count'

/** A page of 50 messages under row security through `/rest/v1`, against raw pg. Goal: 0.8 at concurrency 20. */
export async function run(): Promise<BenchTable> {
  const text = `select coalesce(json_agg(m), '[]') as body from (
    select id, seq, body, created_at, reply_count, row_to_json(p.*) as profiles
    from public.messages
    left join lateral (select name from public.profiles where profiles.id = messages.author_id) p on true
    where channel_id = $1 and seq < $2 order by seq desc limit 50) m`
  const place = (n: number): [number, number] => [1 + (n % 20), 5000 - ((n * 37) % 4900)]
  const page = (concurrency: number): Parameters<typeof compare>[0][number] => ({
    what: 'page of 50',
    concurrency,
    request: (n) => {
      const [channel, before] = place(n)
      const query = `select=${COLUMNS},profiles(name)&channel_id=eq.${channel}&seq=lt.${before}&order=seq.desc&limit=50`
      return { method: 'GET', path: `/rest/v1/messages?${query}` }
    },
    statement: (n) => ({ name: 'page', text, values: place(n) }),
  })
  return { name: 'page', rows: await compare([page(1), page(20), page(100)]) }
}
