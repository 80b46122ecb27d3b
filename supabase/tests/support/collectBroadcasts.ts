import type { UserEvent } from '../../../wire/events.ts'
import type { ChannelEvent } from '../../../wire/events.ts'
import type { Name, TestTransaction, World } from './world.ts'

type Broadcast = { topic: string } & (ChannelEvent | UserEvent)

/**
 * Runs and commits `work`, and returns its broadcasts, ordered by (sub)transaction and command. Not by position in the
 * table, where a new row can reuse the space of an old one.
 */
export async function collectBroadcasts(
  world: World,
  who: Name,
  work: (s: TestTransaction) => Promise<unknown>,
): Promise<Broadcast[]> {
  const before = await world.service((s) => s.rows<{ id: string }>('select id from realtime.messages'))
  await world.committedAs(who, work)
  return world.service((s) =>
    s.rows<Broadcast>(
      `select topic, event, payload from realtime.messages where id <> all ($1) and private and extension = 'broadcast'
       order by xmin::text::bigint, cmin::text::int`,
      [before.map((row) => row.id)],
    ),
  )
}
