import { compare, type TargetChannel } from './rest/compare.ts'
import type { BenchTable } from './table.ts'

const COLUMNS = 'id,seq,body,created_at,reply_count'

/** A page of 50 messages under row security through `/rest/v1`, against raw pg. Goal: 0.8 at concurrency 20. */
export async function run(): Promise<BenchTable> {
  const text = `select coalesce(json_agg(m), '[]') as body from (
    select id, seq, body, created_at, reply_count, row_to_json(p.*) as profiles
    from public.messages
    left join lateral (select name from public.profiles where profiles.id = messages.author_id) p on true
    where channel_id = $1 and seq < $2 order by seq desc limit 50) m`
  const targetOf = (n: number, channels: TargetChannel[]): [string, number] => {
    const { channel, lastSeq } = channels[n % channels.length]!
    return [channel, lastSeq - ((n * 37) % (lastSeq - 50))]
  }
  const page = (concurrency: number): Parameters<typeof compare>[0][number] => ({
    what: 'page of 50',
    concurrency,
    request: (n, channels) => {
      const [channel, before] = targetOf(n, channels)
      const select = `${COLUMNS},profiles!messages_author_id_fkey(name)`
      const query = `select=${select}&channel_id=eq.${channel}&seq=lt.${before}&order=seq.desc&limit=50`
      return { method: 'GET', path: `/rest/v1/messages?${query}` }
    },
    statement: { name: 'page', text, values: targetOf },
  })
  return { name: 'page', rows: await compare([page(1), page(20)]) }
}
