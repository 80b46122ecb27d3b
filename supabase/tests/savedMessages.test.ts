import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SavedMessage } from '../../wire/messages.ts'
import { userTopic } from '../../wire/events.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('saved messages on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const save = (s: TestTransaction, message: string, state: 'saved' | 'done' | null = 'saved') =>
    s.call('save_message', { message, state })
  const savedOf = async (s: TestTransaction): Promise<SavedMessage[]> =>
    (await s.call('bootstrap', {})).own.saved ?? []

  it('are stored with a state for their owner alone, whose devices receive each change', async () => {
    const { fresh } = fixture.messages
    const events = await collectBroadcasts(fixture, 'bea', async (s) => {
      await save(s, fresh)
      await save(s, fresh)
      await save(s, fresh, 'done')
    })
    expect(events.map(({ topic, event }) => [topic, event])).toEqual([
      [userTopic(fixture.profile.bea), 'saved'],
      [userTopic(fixture.profile.bea), 'saved'],
    ])
    const [row] = await fixture.rolledBackAs('bea', savedOf)
    expect(row).toMatchObject({ id: fresh, channel_id: fixture.lobby, state: 'done' })
    expect(events.at(-1)?.payload).toEqual({ ...row, workspace_id: fixture.workspace })
    for (const who of ['ann', 'gus'] as const) {
      expect(await fixture.rolledBackAs(who, savedOf)).toEqual([])
      expect(await fixture.rolledBackAs(who, (s) => s.rows('select from public.saved_messages'))).toEqual([])
    }
    const removed = await collectBroadcasts(fixture, 'bea', (s) => save(s, fresh, null))
    expect(removed.map((one) => one.payload)).toMatchObject([{ id: fresh, state: null }])
    expect(await fixture.rolledBackAs('bea', savedOf)).toEqual([])
  })

  it('stay without text where the message is no longer readable', async () => {
    const { secret } = fixture.messages
    await fixture.rolledBackAs('bea', async (s) => {
      await save(s, secret)
      await s.call('leave_channel', { channel: fixture.closed })
      expect((await savedOf(s)).map((one) => one.id)).toEqual([secret])
      expect((await s.call('messages_by_ids', { ids: [secret] })).messages).toEqual([])
      await save(s, secret, 'done')
      await save(s, secret, null)
      expect(await savedOf(s)).toEqual([])
    })
  })

  it('are at most 500, and none of a deleted message', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows(
        `with made as (
           insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, 1000 + n, 1000 + n, 1000 + n, $2, 'x', now() from generate_series(1, 500) n
           returning id)
         insert into public.saved_messages (profile_id, message_id, channel_id, state)
         select $2, id, $1, 'saved' from made`,
        [fixture.lobby, fixture.profile.bea],
      )
      await s.rows(`select set_config('role', 'authenticated', true)`)
      const more = { message: fixture.messages.fresh, state: 'saved' as const }
      expect(await s.failure('save_message', more)).toBe('saved_at_most_500')
      const [first] = await savedOf(s)
      await save(s, first!.id, null)
      await save(s, fixture.messages.fresh)
      await s.call('delete_message', { id: fixture.messages.old })
      expect(await s.failure('save_message', { message: fixture.messages.old, state: 'saved' })).toBe(
        'message_deleted',
      )
    })
  })
})
