import { compare, type Comparison, type TargetChannel } from './rest/compare.ts'
import type { AddRow } from './table.ts'

const COLUMNS = 'id,seq,body,created_at,reply_count'

/** Measures a page of 50 messages under row-level security through `/rest/v1`, against raw pg. */
export async function run(add: AddRow): Promise<void> {
  const text = `select coalesce(json_agg(m), '[]') as body from (
    select id, seq, body, created_at, reply_count, row_to_json(p.*) as profiles
    from public.messages
    left join lateral (select name from public.profiles where profiles.id = messages.author_id) p on true
    where channel_id = $1 and seq < $2 order by seq desc limit 50) m`
  const targetOf = (n: number, channels: TargetChannel[]): [string, number] => {
    const { channel, lastSeq } = channels[n % channels.length]!
    return [channel, lastSeq - ((n * 37) % Math.max(lastSeq - 50, 1))]
  }
  const page = (workspace: Comparison['workspace'], concurrency: number): Comparison => ({
    what: 'page of 50',
    workspace,
    concurrency,
    request: (n, channels) => {
      const [channel, before] = targetOf(n, channels)
      const select = `${COLUMNS},profiles!messages_author_id_fkey(name)`
      const query = `select=${select}&channel_id=eq.${channel}&seq=lt.${before}&order=seq.desc&limit=50`
      return { method: 'GET', path: `/rest/v1/messages?${query}` }
    },
    statement: { name: 'page', text, values: targetOf },
  })
  await compare([page('small', 1), page('small', 20), page('large', 1), page('large', 20)], add)
}
