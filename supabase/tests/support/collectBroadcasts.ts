import type { UserEvent, ChannelEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Name, TestTransaction, Fixture } from './fixture.ts'

type Broadcast = { topic: string } & (
  | ChannelEvent
  | UserEvent
  | { event: 'end_subscriptions'; payload: { users: Uuid[] } }
)

/**
 * Runs and commits `work`, and returns its broadcasts and the subscriptions that it ended, ordered by (sub)transaction and command. Not by position in the
 * table, where a new row can reuse the space of an old one.
 */
export async function collectBroadcasts(
  fixture: Fixture,
  who: Name,
  work: (s: TestTransaction) => Promise<unknown>,
): Promise<Broadcast[]> {
  const before = await fixture.service((s) => s.rows<{ id: string }>('select id from realtime.messages'))
  await fixture.committedAs(who, work)
  return fixture.service((s) =>
    s.rows<Broadcast>(
      `select topic, event, payload from realtime.messages where id <> all ($1) and private and extension in ('broadcast', 'system')
       order by xmin::text::bigint, cmin::text::int`,
      [before.map((row) => row.id)],
    ),
  )
}
