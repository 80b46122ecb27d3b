import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic } from '../../wire/events.ts'
import type { UnreadWorkspace } from '../../wire/people.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Ann owns a second workspace, of which Bea becomes a member and Omar, an outsider of the first, the other one. */
describe.each(testDatabases)('several workspaces on $name', ({ open }) => {
  let fixture: Fixture
  let second: { workspace: Uuid; channel: Uuid }
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const workspace = randomUUID()
    const created = await fixture.committedAs('ann', (s) => create(s, workspace))
    second = { workspace, channel: created.channel_id }
    for (const who of ['bea', 'omar'] as const) {
      const { token } = await fixture.committedAs('ann', (s) =>
        s.call('create_invitation', { workspace, role: 'member', channels: [second.channel] }),
      )
      const accepted = await fixture.committedAs(who, (s) =>
        s.call('accept_invitation', { token, person_name: `${who} Example` }),
      )
      fixture.profile[who] = accepted.profile.id
    }
  })
  afterAll(() => fixture.stop())

  const create = (s: TestTransaction, id: Uuid = randomUUID(), name = 'Harbour Choir') =>
    s.call('create_workspace', { id, name, channel_name: 'general' })
  const unread = async (who: Name, workspace: Uuid): Promise<UnreadWorkspace | undefined> => {
    const { workspaces } = await fixture.rolledBackAs(who, (s) => s.call('unread_workspaces', {}))
    return workspaces.find((one) => one.workspace_id === workspace)
  }
  const send = (s: TestTransaction, channel: Uuid, body = 'Hello') =>
    s.call('send_message', { id: randomUUID(), channel, body })
  const markRead = (who: Name, channel: Uuid) =>
    fixture.committedAs(who, async (s) => {
      const [state] = await s.rows<{ read_version: string; last_seq: string }>(
        `select s.read_version, k.last_seq from public.channel_member_state s
         join public.channel_counters k using (channel_id) where s.channel_id = $1 and s.profile_id = $2`,
        [channel, fixture.profile[who]],
      )
      await s.call('mark_read', {
        channel,
        seq: Number(state?.last_seq),
        read_version: Number(state?.read_version),
      })
    })
  const beat = (who: Name) =>
    fixture.committedAs(who, (s) => s.call('heartbeat', { workspace: fixture.workspace, state: 'active' }))

  it('lets owners create one, and nobody else', async () => {
    for (const who of ['bea', 'gus', 'omar', 'dee', 'max'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.refusal(create))).toMatchObject({
        message: 'not_allowed',
      })
    expect(await fixture.rolledBackAs('sid', (s) => s.refusal(create))).toMatchObject({
      message: 'session_ended',
    })
    await fixture.rolledBackAs('zoe', async (s) => {
      const id = randomUUID()
      const { workspace, channel_id: channel } = await create(s, id)
      expect(workspace).toEqual({ id, name: 'Harbour Choir' })
      const start = await s.call('bootstrap', { workspace: id })
      expect(start.me?.role).toBe('owner')
      expect(start.channels.map((one) => [one.channel.id, one.channel.name])).toEqual([[channel, 'general']])
      expect(start.workspaces.map((one) => one.name)).toEqual(['Elsewhere', 'Harbour Choir'])
    })
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [
        fixture.profile.zoe,
      ])
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [
          JSON.stringify({
            role: 'authenticated',
            sub: fixture.account.zoe,
            session_id: fixture.account.zoe,
          }),
        ],
      )
      expect((await s.refusal(create)).message).toBe('not_allowed')
      await s.rows('reset role')
    })
  })

  it('creates one for a repeated call, and takes no id of another', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const id = randomUUID()
      const created = await create(s, id)
      await s.call('rename_workspace', { workspace: id, name: 'Renamed' })
      expect(await create(s, id)).toEqual({ ...created, workspace: { id, name: 'Renamed', rev: 1 } })
    })
    const { workspace: id } = fixture
    const args = { id, name: 'Mine', channel_name: 'general' }
    expect(await fixture.rolledBackAs('zoe', (s) => s.failure('create_workspace', args))).toBe('conflict')
  })

  it('refuses invalid names, and an eleventh workspace of a person', () =>
    fixture.rolledBackAs('zoe', async (s) => {
      const failure = (name: string, channel_name: string) =>
        s.failure('create_workspace', { id: randomUUID(), name, channel_name })
      expect(await failure(' ', 'general')).toBe('workspaces_name_length')
      expect(await failure('x'.repeat(81), 'general')).toBe('workspaces_name_length')
      expect(await failure('Choir', ' ')).toBe('channels_name_length')
      for (let count = 0; count < 10; count++) await create(s)
      expect(await failure('Choir', 'general')).toBe('too_many_workspaces')
    }))

  it('refuses the membership of more than 50 other workspaces', () =>
    fixture.service(async (s) => {
      await s.rows(
        `with created as (
           insert into public.workspaces (id, name) select gen_random_uuid(), 'Many' from generate_series(1, 47)
           returning id)
         insert into public.workspace_members (workspace_id, profile_id, role)
         select id, $1, 'member' from created`,
        [fixture.profile.bea],
      )
      const join = () =>
        s.rows(
          `with created as (
             insert into public.workspaces (id, name) values (gen_random_uuid(), 'One more') returning id)
           insert into public.workspace_members (workspace_id, profile_id, role)
           select id, $1, 'member' from created`,
          [fixture.profile.bea],
        )
      await join()
      expect((await s.refusal(join)).message).toBe('too_many_memberships')
    }))

  it('counts unread messages of each workspace of the caller, and of no other', async () => {
    await markRead('bea', second.channel)
    expect(await unread('bea', second.workspace)).toMatchObject({ unread: false, mentions: 0 })
    await fixture.committedAs('ann', (s) => send(s, second.channel))
    expect(await unread('bea', second.workspace)).toMatchObject({ unread: true, mentions: 0 })
    await fixture.committedAs('ann', (s) => send(s, second.channel, `<@${fixture.profile.bea}> one`))
    await fixture.committedAs('ann', (s) => send(s, second.channel, '<!channel> two'))
    expect(await unread('bea', second.workspace)).toMatchObject({ unread: true, mentions: 2 })
    // Those of the first workspace are not counted, which are not read either.
    expect(await unread('omar', second.workspace)).toMatchObject({ unread: true, mentions: 1 })
    expect(await unread('omar', fixture.workspace)).toBeUndefined()
    expect(await unread('cem', second.workspace)).toBeUndefined()
    await markRead('bea', second.channel)
    expect(await unread('bea', second.workspace)).toMatchObject({ unread: false, mentions: 0 })
  })

  it('names each of them as they are called now', async () => {
    await fixture.committedAs('ann', (s) =>
      s.call('rename_workspace', { workspace: second.workspace, name: 'Harbour Singers' }),
    )
    expect(await unread('bea', second.workspace)).toMatchObject({ name: 'Harbour Singers', icon: null })
    await fixture.committedAs('ann', (s) =>
      s.call('rename_workspace', { workspace: second.workspace, name: 'Harbour Choir' }),
    )
  })

  it('notifies of a message by the preferences of its workspace, with all that a page of another one displays', async () => {
    await beat('bea')
    const id = randomUUID()
    await fixture.committedAs('ann', (s) =>
      s.call('send_message', {
        id,
        channel: second.channel,
        body: `<@${fixture.profile.bea}> ask <@${fixture.profile.omar}>`,
      }),
    )
    const notificationOf = async (s: TestTransaction) => {
      const all = await s.call('my_notifications', { channels: [second.channel], revs: [0] })
      return all.find((one) => one.id === id)
    }
    const prefer = (s: TestTransaction, workspace: Uuid) =>
      s.rows(
        `insert into public.notification_preferences (workspace_id, quiet_days, quiet_from, quiet_to)
        values ($1, '{1,2,3,4,5,6,7}', '00:00', '00:00')`,
        [workspace],
      )
    await fixture.rolledBackAs('bea', async (s) => {
      await prefer(s, fixture.workspace)
      expect(await notificationOf(s)).toMatchObject({
        workspace_id: second.workspace,
        title: '#general',
        author: 'Ann Okafor',
        body: '@bea Example ask @omar Example',
        decision: 'desktop',
      })
      await prefer(s, second.workspace)
      expect(await notificationOf(s)).toMatchObject({ decision: 'badge' })
    })
    for (const who of ['ann', 'cem', 'gus'] as const)
      expect(await fixture.rolledBackAs(who, notificationOf)).toBeUndefined()
    await markRead('bea', second.channel)
    expect(await fixture.rolledBackAs('bea', notificationOf)).toBeUndefined()
  })

  it('counts direct messages, and of muted channels only mentions', async () => {
    const direct = await fixture.committedAs('ann', (s) =>
      s.call('open_direct', { workspace: second.workspace, people: [fixture.profile.omar] }),
    )
    await markRead('omar', second.channel)
    await fixture.committedAs('ann', (s) => send(s, direct.channel.id))
    expect(await unread('omar', second.workspace)).toMatchObject({ unread: true, mentions: 1 })
    await markRead('omar', direct.channel.id)
    await fixture.committedAs('omar', (s) =>
      s.rows('update public.channel_member_state set muted = true where channel_id = $1', [second.channel]),
    )
    await fixture.committedAs('ann', (s) => send(s, second.channel))
    expect(await unread('omar', second.workspace)).toMatchObject({ unread: false, mentions: 0 })
    await fixture.committedAs('ann', (s) => send(s, second.channel, `<@${fixture.profile.omar}>`))
    expect(await unread('omar', second.workspace)).toMatchObject({ unread: true, mentions: 1 })
    await fixture.committedAs('omar', (s) =>
      s.rows('update public.channel_member_state set muted = false where channel_id = $1', [second.channel]),
    )
  })

  it('announces the first unread message to members who are present and in several workspaces', async () => {
    await fixture.service((s) => s.rows('delete from public.heartbeats'), true)
    for (const who of ['bea', 'omar'] as const) await markRead(who, second.channel)
    const announced = async (body?: string) =>
      (await collectBroadcasts(fixture, 'ann', (s) => send(s, second.channel, body)))
        .filter((one) => one.event === 'unread')
        .map(({ topic, payload }) => ({ topic, payload }))
    // Bea isn't there, and Omar is in one workspace.
    expect(await announced()).toEqual([])
    for (const who of ['bea', 'omar'] as const) await markRead(who, second.channel)
    await beat('bea')
    await fixture.committedAs('omar', (s) =>
      s.call('heartbeat', { workspace: second.workspace, state: 'active' }),
    )
    const payload = { workspace_id: second.workspace, channel_id: second.channel }
    expect(await announced()).toMatchObject([{ topic: userTopic(fixture.profile.bea), payload }])
    // The next one changes nothing.
    expect(await announced()).toEqual([])
    await markRead('bea', second.channel)
    await fixture.committedAs('bea', (s) =>
      s.rows('update public.channel_member_state set muted = true where channel_id = $1', [second.channel]),
    )
    expect(await announced()).toEqual([])
  })
  it('announces a deleted message to those who have a page open and have not read it', async () => {
    await beat('bea')
    await fixture.committedAs('omar', (s) =>
      s.call('heartbeat', { workspace: second.workspace, state: 'active' }),
    )
    const announced = async (body: string, age = '0') => {
      const { message } = await fixture.committedAs('ann', (s) => send(s, second.channel, body))
      await fixture.service(
        (s) =>
          s.rows('update public.messages set created_at = created_at - $2::interval where id = $1', [
            message.id,
            age,
          ]),
        true,
      )
      const broadcasts = await collectBroadcasts(fixture, 'ann', (s) =>
        s.call('delete_message', { id: message.id }),
      )
      const found = broadcasts.filter((one) => one.event === 'message_deleted')
      for (const one of found) expect(one.payload).toMatchObject({ message_id: message.id })
      return found.map(({ topic }) => topic)
    }
    const both = `<@${fixture.profile.bea}> <@${fixture.profile.omar}>`
    const topics = [userTopic(fixture.profile.bea), userTopic(fixture.profile.omar)].toSorted()
    expect((await announced(both)).toSorted()).toEqual(topics)
    expect((await announced('Hello')).toSorted()).toEqual(topics)
    expect(await announced(both, '2 days')).toEqual([])
    await fixture.committedAs('omar', (s) => s.call('close_page', {}))
    expect(await announced(both)).toEqual([userTopic(fixture.profile.bea)])
    await fixture.service(
      (s) =>
        s.rows('update public.channel_member_state set last_read_seq = 1000 where channel_id = $1', [
          second.channel,
        ]),
      true,
    )
    expect(await announced(both)).toEqual([])
  })
})
