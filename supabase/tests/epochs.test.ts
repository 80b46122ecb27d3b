import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelTopic, workspaceTopic } from '../../wire/events.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { hideEndSubscriptions } from './support/hideEndSubscriptions.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Hosted Supabase: its realtime service ends no subscription, so that those who keep access move to another topic. */
describe.each(testDatabases)('where the server cannot end subscriptions, on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    const database = await open()
    await hideEndSubscriptions(database)
    fixture = await openFixture(database)
  })
  afterAll(() => fixture.stop())

  const collectFrom = (who: Name, work: (s: TestTransaction) => Promise<unknown>) =>
    collectBroadcasts(fixture, who, work)
  const epochOf = (channel: string): Promise<number> =>
    fixture.service(async (s) =>
      Number(await s.value('select epoch from public.channel_counters where channel_id = $1', [channel])),
    )

  it('moves a workspace to a new topic when a full membership ends', async () => {
    const epoch = await fixture.service((s) =>
      s.value<number>('select epoch::int from public.workspace_counters where workspace_id = $1', [
        fixture.workspace,
      ]),
    )
    const place = (who: Name, set: string) =>
      fixture.service(async (s) => {
        const ids = await s.rows<{ id: string }>('select id from realtime.messages')
        await s.rows(`update public.workspace_members set ${set} where profile_id = $1`, [
          fixture.profile[who],
        ])
        await s.rows('set constraints all immediate')
        return s.rows<{ topic: string; event: string }>(
          `select topic, event from realtime.messages where id <> all ($1) and topic like 'workspace:%'
           order by cmin::text::int`,
          [ids.map((row) => row.id)],
        )
      })
    const topic = workspaceTopic(fixture.workspace, epoch)
    const left = [
      { topic, event: 'member' },
      { topic, event: 'epoch' },
    ]
    expect(await place('eli', `state = 'deactivated'`)).toEqual(left)
    expect(await place('eli', `role = 'guest'`)).toEqual(left)
    expect(await place('eli', `role = 'admin'`)).toEqual([{ topic, event: 'member' }])
    expect(await place('gus', `state = 'deactivated'`)).toEqual([{ topic, event: 'member' }])
    const gone = await fixture.service(async (s) => {
      await s.rows('update public.profiles set user_id = null where id = $1', [fixture.profile.eli])
      await s.rows('set constraints all immediate')
      return s.value('select epoch from public.workspace_counters where workspace_id = $1', [
        fixture.workspace,
      ])
    })
    expect(Number(gone)).toBe(epoch + 1)
  })

  it('moves a channel to a new topic, announced last on the old one, when someone loses access to it', async () => {
    const before = await epochOf(fixture.closed)
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.closed, people: [fixture.profile.ann, fixture.profile.eli] }),
    )
    expect(await epochOf(fixture.closed)).toBe(before)
    const events = await collectFrom('bea', async (s) => {
      await s.call('remove_member', { channel: fixture.closed, person: fixture.profile.ann })
      await s.call('remove_member', { channel: fixture.closed, person: fixture.profile.eli })
    })
    const onChannel = events.filter((event) => event.topic.startsWith('channel:'))
    expect(onChannel.map((event) => event.event)).toEqual(['message', 'meta', 'message', 'meta', 'epoch'])
    expect(onChannel.every((event) => event.topic === channelTopic(fixture.closed, before))).toBe(true)
    expect(onChannel.at(-1)!.payload).toMatchObject({ epoch: before + 1, members: 2 })
    expect(await epochOf(fixture.closed)).toBe(before + 1)
    const deactivated = await collectFrom('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
    )
    expect(deactivated.map((event) => event.event)).toContain('epoch')
    expect(await epochOf(fixture.closed)).toBe(before + 2)
  })

  it('moves a channel to a new topic when someone with a history start joins', async () => {
    const before = await epochOf(fixture.side)
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.side, people: [fixture.profile.gus] }),
    )
    expect(await epochOf(fixture.side)).toBe(before + 1)
    // A guest no longer receives events of a public channel either.
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.side, person: fixture.profile.gus }),
    )
    expect(await epochOf(fixture.side)).toBe(before + 2)
    const place = (set: string) =>
      fixture.service(
        (s) =>
          s.rows(`update public.workspace_members set ${set} where profile_id = $1`, [fixture.profile.gus]),
        true,
      )
    const lobby = await epochOf(fixture.lobby)
    await place(`state = 'deactivated'`)
    expect(await epochOf(fixture.lobby)).toBe(lobby + 1)
    await place(`state = 'active'`)
    // Deactivation ended his session.
    await fixture.service(
      (s) =>
        s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
          fixture.account.gus,
        ]),
      true,
    )
    const gone = await fixture.service(async (s) => {
      await s.rows('update public.profiles set user_id = null where id = $1', [fixture.profile.gus])
      await s.rows('set constraints all immediate')
      return s.value('select epoch from public.channel_counters where channel_id = $1', [fixture.lobby])
    })
    expect(Number(gone)).toBe(lobby + 2)
  })

  it('moves a channel to a new topic when it becomes private, before its new name is broadcast', async () => {
    const epoch = await epochOf(fixture.side)
    const events = await collectFrom('bea', (s) =>
      s.call('update_channel', { channel: fixture.side, kind: 'private', name: 'The sale' }),
    )
    const old = events.filter((event) => event.topic === channelTopic(fixture.side, epoch))
    expect(old.map((event) => event.event)).toEqual(['epoch'])
    expect(old[0]!.payload).toMatchObject({ epoch: epoch + 1 })
    const moved = events.filter((event) => event.topic === channelTopic(fixture.side, epoch + 1))
    expect(moved.map((event) => event.event)).toContain('meta')
    expect(JSON.stringify(old)).not.toContain('The sale')
  })
})
