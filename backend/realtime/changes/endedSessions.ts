import type { QueryConfig } from 'pg'
import type { Channel } from '../sockets/channel.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Which of these topics were joined with a session that is gone. */
export async function findEndedSessions(
  query: (statement: QueryConfig) => Promise<{ rows: { id: string }[] }>,
  channels: Iterable<Channel>,
): Promise<Set<Channel>> {
  const bySession = new Map<string, Channel[]>()
  for (const channel of channels) {
    const id = channel.caller.claims.session_id
    if (typeof id !== 'string' || !uuid.test(id)) continue
    const session = id.toLowerCase()
    const known = bySession.get(session)
    if (known) known.push(channel)
    else bySession.set(session, [channel])
  }
  if (bySession.size === 0) return new Set()
  const { rows } = await query({
    name: 'realtime_live_sessions',
    text: 'select id::text from realtime.live_sessions($1::uuid[]) id',
    values: [[...bySession.keys()]],
  })
  for (const { id } of rows) bySession.delete(id)
  return new Set([...bySession.values()].flat())
}
