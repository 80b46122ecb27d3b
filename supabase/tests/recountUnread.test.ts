import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

describe.each(testDatabases)('recounting what is unread on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const recount = (s: TestTransaction) => s.call('recount_unread', { workspace: fixture.workspace })
  /** Counts by id, of channels as `bootstrap` returns them and as they are counted anew. */
  const both = async (s: TestTransaction) => {
    const counted = await recount(s)
    const { channels, threads } = await s.call('bootstrap', {})
    const of = (id: string, { unread, mentions }: { unread: number; mentions: number }) => [
      id,
      unread,
      mentions,
    ]
    return {
      counted: [
        ...counted.channels.map((one) => of(one.channel_id, one)),
        ...counted.threads.map((one) => of(one.root_id, one)),
      ].sort(),
      shown: [
        ...channels.map((one) => of(one.channel.id, one.counts)),
        ...threads.map((one) => of(one.root_id, one.counts)),
      ].sort(),
    }
  }
  const become = (s: TestTransaction, name: Name | 'postgres') =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      name === 'postgres'
        ? '{}'
        : JSON.stringify({
            role: 'authenticated',
            sub: fixture.account[name],
            session_id: fixture.account[name],
          }),
      name === 'postgres' ? 'postgres' : 'authenticated',
    ])

  it('finds what the app shows, for everyone', async () => {
    for (const who of ['ann', 'bea', 'cem', 'eli', 'gus'] as const) {
      const { counted, shown } = await fixture.rolledBackAs(who, both)
      expect(counted).toEqual(shown)
    }
    const [lobby] = (await fixture.rolledBackAs('cem', recount)).channels
    expect(lobby).toBeDefined()
  })

  it('finds counts that are wrong', async () => {
    await fixture.service(async (s) => {
      const root = randomUUID()
      await become(s, 'bea')
      await s.call('send_message', { id: root, channel: fixture.lobby, body: 'Keys?' })
      await become(s, 'ann')
      const body = `<@${fixture.profile.bea}> on the hook`
      await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body, thread_root: root })
      await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body })
      await become(s, 'bea')
      const right = await both(s)
      expect(right.counted).toEqual(right.shown)
      expect(right.counted).toContainEqual([root, 1, 1])

      // A mention whose copied number is wrong is not counted by the app, and found here.
      await become(s, 'postgres')
      await s.rows('update public.mentions set seq = 0 where seq is not null and profile_id = $1', [
        fixture.profile.bea,
      ])
      await become(s, 'bea')
      const wrong = await both(s)
      expect(wrong.counted).toEqual(right.counted)
      expect(wrong.shown).not.toEqual(right.counted)
    })
  })
})
