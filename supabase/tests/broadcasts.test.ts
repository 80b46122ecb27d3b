/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic, workspaceTopic, channelTopic } from '../../wire/events.ts'
import { testDatabases } from './support/testDatabases.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** The broadcasts of the database and their recipients. The permission matrix declares who can subscribe. */
describe.each(testDatabases)('broadcasts on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const collectFrom = (who: Name, work: (s: TestTransaction) => Promise<unknown>) =>
    collectBroadcasts(fixture, who, work)
  const epochOf = (channel: string): Promise<number> =>
    fixture.service(async (s) =>
      Number(await s.value('select epoch from public.channel_counters where channel_id = $1', [channel])),
    )
  const countersOf = (): Promise<{ rev: number; epoch: number }> =>
    fixture.service(async (s) => {
      const sql = 'select rev::int, epoch::int from public.workspace_counters where workspace_id = $1'
      return (await s.rows<{ rev: number; epoch: number }>(sql, [fixture.workspace]))[0]!
    })

  it('stores no earlier text of a message in broadcasts that can be replayed', async () => {
    const id = randomUUID()
    const kept = (words: string) =>
      fixture.service((s) =>
        s.value<number>(`select count(*)::int from realtime.messages where payload::text like $1`, [
          `%${words}%`,
        ]),
      )
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id, channel: fixture.closed, body: 'The code is hunter2' }),
    )
    expect(await kept('hunter2')).toBe(1)
    await fixture.committedAs('cem', (s) => s.call('react', { message: id, emoji: '👀', on: true }))
    await fixture.committedAs('bea', (s) => s.call('edit_message', { id, body: 'The code is elsewhere' }))
    expect([await kept('hunter2'), await kept('elsewhere')]).toEqual([0, 1])
    // Hosted stores the time of a broadcast in the zone of the request, which may name one.
    await fixture.committedAs('bea', async (s) => {
      await s.rows(`set local timezone = 'America/New_York'`)
      await s.call('edit_message', { id, body: 'The code is nowhere' })
    })
    expect([await kept('elsewhere'), await kept('nowhere')]).toEqual([0, 1])
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id }))
    expect(await kept('The code is')).toBe(0)
  })

  it('broadcasts a whole message with its rev on the topic of the channel', async () => {
    const id = randomUUID()
    const events = await collectFrom('bea', (s) =>
      s.call('send_message', { id, channel: fixture.closed, body: 'Hello' }),
    )
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      topic: channelTopic(fixture.closed, await epochOf(fixture.closed)),
      event: 'message',
      payload: { channel_id: fixture.closed, message: { id, body: 'Hello', reactions: [] } },
    })
    const reacted = await collectFrom('cem', (s) => s.call('react', { message: id, emoji: '👍', on: true }))
    expect(reacted).toHaveLength(1)
    const { rev } = events[0]!.payload as { rev: number }
    const people = [fixture.profile.cem]
    // Without the text: a long message with many reactions would be stored with each of them.
    expect(reacted[0]).toMatchObject({
      event: 'changed',
      payload: {
        channel_id: fixture.closed,
        message_id: id,
        rev: rev + 1,
        before: rev,
        reaction: { emoji: '👍', by: fixture.profile.cem, on: true, count: 1, people, at: 0 },
      },
    })
    expect(JSON.stringify(reacted)).not.toMatch(/mine|Hello/)
    const reply = await collectFrom('cem', (s) =>
      s.call('send_message', { id: randomUUID(), channel: fixture.closed, body: 'Hi', thread_root: id }),
    )
    const onTopic = reply.filter((event) => event.topic.startsWith('channel:'))
    expect(onTopic.map((event) => (event.payload as { rev: number }).rev)).toEqual([rev + 2, rev + 3])
    expect(onTopic[1]).toMatchObject({
      event: 'changed',
      payload: { message_id: id, before: rev + 1, changes: { reply_count: 1, pinned_at: null } },
    })
    expect(JSON.stringify(onTopic[1])).not.toContain('Hello')
    const pinned = await collectFrom('cem', (s) => s.call('pin_message', { message: id, on: true }))
    expect(pinned).toMatchObject([
      { event: 'changed', payload: { changes: { pinned_at: expect.any(String) } } },
    ])
    await collectFrom('bea', (s) => s.call('react', { message: id, emoji: '🌱', on: true }))
    const withdrawn = await collectFrom('cem', (s) =>
      s.call('react', { message: id, emoji: '👍', on: false }),
    )
    expect(withdrawn).toMatchObject([
      { payload: { reaction: { emoji: '👍', on: false, count: 0, people: [] } } },
    ])
    const back = await collectFrom('cem', (s) => s.call('react', { message: id, emoji: '👍', on: true }))
    expect(back).toMatchObject([{ payload: { reaction: { emoji: '👍', count: 1, people, at: 1 } } }])
    expect(await collectFrom('cem', (s) => s.call('react', { message: id, emoji: '👍', on: true }))).toEqual(
      [],
    )
  })

  it('broadcasts only the rev of a message before a member’s history start', async () => {
    const events = await collectFrom('bea', (s) =>
      s.call('edit_message', { id: fixture.messages.old, body: 'Changed' }),
    )
    expect(events.map((event) => event.event)).toEqual(['rev'])
    expect(JSON.stringify(events)).not.toContain('Changed')
    const fresh = await collectFrom('ann', (s) =>
      s.call('edit_message', { id: fixture.messages.fresh, body: 'Changed' }),
    )
    expect(fresh.map((event) => event.event)).toEqual(['message'])
  })

  it('notifies the members of a direct conversation and people mentioned by name', async () => {
    const direct = await collectFrom('ann', (s) =>
      s.call('send_message', { id: randomUUID(), channel: fixture.direct, body: 'Psst' }),
    )
    expect(direct.filter((event) => event.event === 'activity')).toMatchObject([
      { topic: userTopic(fixture.profile.bea), payload: { channel_id: fixture.direct, mention: false } },
    ])
    expect(JSON.stringify(direct.filter((event) => event.topic.startsWith('user:')))).not.toContain('Psst')
    const called = await collectFrom('bea', (s) =>
      s.call('send_message', {
        id: randomUUID(),
        channel: fixture.closed,
        body: `<@${fixture.profile.cem}> <@${fixture.profile.ann}>`,
      }),
    )
    expect(called.filter((event) => event.event === 'activity').map((event) => event.topic)).toEqual([
      userTopic(fixture.profile.cem),
    ])
  })

  it('sends read markers and thread states to the person’s own devices', async () => {
    const state = await collectFrom('cem', (s) => s.call('mark_unread', { channel: fixture.closed, seq: 2 }))
    expect(state).toMatchObject([
      { topic: userTopic(fixture.profile.cem), event: 'state', payload: { state: { last_read_seq: 1 } } },
    ])
    const joined = await collectFrom('cem', (s) => s.call('join_channel', { channel: fixture.side }))
    expect(joined.map((event) => event.event)).toEqual(['message', 'meta', 'membership'])
    expect(joined[2]).toMatchObject({
      topic: userTopic(fixture.profile.cem),
      payload: { entry: { member: true } },
    })
    const left = await collectFrom('cem', (s) => s.call('leave_channel', { channel: fixture.side }))
    expect(left.at(-1)).toMatchObject({ event: 'membership', payload: { entry: null } })
    // Leaving a public channel hides nothing, so nobody has to move.
    expect(left.some((event) => event.event === 'epoch')).toBe(false)
  })

  it('broadcasts a changed person once to all full members, and to each guest who shares a channel', async () => {
    const { epoch, rev } = await countersOf()
    const change = (who: Name, set: string) =>
      collectFrom(who, (s) => s.rows(`update public.profiles set ${set} where true`))
    const sent = await change('bea', `status_text = 'Away'`)
    const member = expect.objectContaining({ profile: expect.objectContaining({ status_text: 'Away' }) })
    expect(sent).toEqual([
      {
        topic: workspaceTopic(fixture.workspace, epoch),
        event: 'member',
        payload: expect.objectContaining({ workspace_id: fixture.workspace, rev: rev + 1, member }),
      },
      {
        topic: userTopic(fixture.profile.gus),
        event: 'member',
        payload: expect.objectContaining({ workspace_id: fixture.workspace, member }),
      },
    ])
    // Nothing that others see.
    expect(await change('bea', `status_text = 'Away'`)).toEqual([])
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel: fixture.lobby }))
    const unshared = await change('cem', `status_text = 'At sea'`)
    expect(unshared.map((event) => event.topic)).toEqual([workspaceTopic(fixture.workspace, epoch)])
    await fixture.committedAs('cem', (s) => s.call('join_channel', { channel: fixture.lobby }))
  })

  it('stores as many broadcasts of a changed person for two thousand members as for ten', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `with people as (
           insert into public.profiles (name) select 'Person ' || i from generate_series(1, 2000) i returning id)
         insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people`,
        [fixture.workspace],
      )
      await s.rows('set constraints all immediate')
      const count = () => s.value<number>('select count(*)::int from realtime.messages')
      const before = await count()
      await s.rows(`update public.profiles set name = 'Bea of Harbour Street' where id = $1`, [
        fixture.profile.bea,
      ])
      await s.rows('set constraints all immediate')
      expect((await count()) - before).toBe(2)
    })
  })

  it('stores at most a hundred broadcasts for guests, of a changed person and of a changed workspace', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `with people as (
           insert into public.profiles (name) select 'Guest ' || i from generate_series(1, 120) i returning id),
         members as (
           insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'guest' from people)
         insert into public.channel_members (channel_id, profile_id) select $2, id from people`,
        [fixture.workspace, fixture.lobby],
      )
      await s.rows('set constraints all immediate')
      const { bea, gus } = fixture.profile
      await s.rows(
        `insert into public.heartbeats (profile_id, state, seen_at) values ($1, 'active', now())
         on conflict (profile_id) do update set seen_at = now()`,
        [gus],
      )
      const receivers = async (sql: string, values: string[]): Promise<string[]> => {
        await s.rows('delete from realtime.messages where true')
        await s.rows(sql, values)
        await s.rows('set constraints all immediate')
        const sent = await s.rows<{ topic: string }>(
          `select topic from realtime.messages where topic like 'user:%'`,
        )
        return sent.map(({ topic }) => topic.slice(5))
      }
      const ofPerson = await receivers(`update public.profiles set name = 'Bea' where id = $1`, [bea])
      expect([ofPerson.length, ofPerson.includes(gus)]).toEqual([100, true])
      const ofWorkspace = await receivers(`update public.workspaces set name = 'Port' where id = $1`, [
        fixture.workspace,
      ])
      expect([ofWorkspace.length, ofWorkspace.includes(gus)]).toEqual([100, true])
      // A guest who has changed is among the receivers.
      const own = await s.value<string>(`select id from public.profiles where name = 'Guest 7'`)
      expect(await receivers(`update public.profiles set name = 'Guest 7a' where id = $1`, [own])).toContain(
        own,
      )
    })
  })

  it('stores a broadcast for each of twenty followers of a thread, and none if there are more', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const root = randomUUID()
      const replies = [randomUUID(), randomUUID()]
      const send = (id: string, more: object = {}) =>
        s.call('send_message', { id, channel: fixture.lobby, body: 'Tide', ...more })
      await send(root)
      await send(randomUUID(), { thread_root: root })
      const addFollowers = async (count: number): Promise<void> => {
        await s.rows('reset role')
        await s.rows(
          `with people as (
             insert into public.profiles (name) select 'Person ' || i from generate_series(1, $4::int) i returning id),
           members as (
             insert into public.workspace_members (workspace_id, profile_id, role) select $1, id, 'member' from people),
           of_channel as (
             insert into public.channel_members (channel_id, profile_id) select $2, id from people)
           insert into public.thread_members (root_id, profile_id, last_read_thread_seq) select $3, id, 0 from people`,
          [fixture.workspace, fixture.lobby, root, count],
        )
        await s.rows('set constraints all immediate')
      }
      const added = async (change: () => Promise<unknown>): Promise<number> => {
        const count = () =>
          s.value<number>(`select count(*)::int from realtime.messages where topic like 'user:%'`)
        const before = await count()
        await s.rows('set local role authenticated')
        await change()
        await s.rows('reset role')
        return (await count()) - before
      }
      await addFollowers(19)
      // The author of the reply receives their own state.
      expect(await added(() => send(replies[0]!, { thread_root: root }))).toBe(20)
      expect(await added(() => s.call('delete_message', { id: replies[0]! }))).toBe(19)
      await addFollowers(1)
      expect(await added(() => send(replies[1]!, { thread_root: root }))).toBe(1)
      expect(await added(() => s.call('delete_message', { id: replies[1]! }))).toBe(0)
    })
  })

  it('ends the subscriptions of a person to a workspace when their full membership ends', async () => {
    const { epoch } = await countersOf()
    const topic = workspaceTopic(fixture.workspace, epoch)
    const place = (who: Name, set: string) =>
      fixture.service(async (s) => {
        const ids = await s.rows<{ id: string }>('select id from realtime.messages')
        await s.rows(`update public.workspace_members set ${set} where profile_id = $1`, [
          fixture.profile[who],
        ])
        await s.rows('set constraints all immediate')
        return s.rows<{ topic: string; event: string; users: string[] | null }>(
          `select topic, event, payload -> 'users' as users from realtime.messages
           where id <> all ($1) and topic like 'workspace:%' order by cmin::text::int`,
          [ids.map((row) => row.id)],
        )
      })
    const member = { topic, event: 'member', users: null }
    const ended = { topic, event: 'end_subscriptions', users: [fixture.account.eli] }
    expect(await place('eli', `state = 'deactivated'`)).toEqual([member, ended])
    expect(await place('eli', `role = 'guest'`)).toEqual([member, ended])
    expect(await place('eli', `role = 'admin'`)).toEqual([member])
    expect(await place('gus', `state = 'deactivated'`)).toEqual([member])
    expect((await countersOf()).epoch).toBe(epoch)
  })

  it('ends the subscriptions of a person who loses access to a channel, whose topic stays the same', async () => {
    const before = await epochOf(fixture.closed)
    const topic = channelTopic(fixture.closed, before)
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.closed, people: [fixture.profile.ann, fixture.profile.eli] }),
    )
    const events = await collectFrom('bea', async (s) => {
      await s.call('remove_member', { channel: fixture.closed, person: fixture.profile.ann })
      await s.call('remove_member', { channel: fixture.closed, person: fixture.profile.eli })
    })
    const onChannel = events.filter((event) => event.topic.startsWith('channel:'))
    expect(onChannel.every((event) => event.topic === topic)).toBe(true)
    const ended = onChannel.filter(({ event }) => event === 'end_subscriptions')
    expect(ended.map(({ payload }) => payload)).toEqual([
      { users: [fixture.account.ann] },
      { users: [fixture.account.eli] },
    ])
    // No subtransaction stores these rows, so that they are in front here.
    expect(onChannel.slice(2).map((event) => event.event)).toEqual(['message', 'meta', 'message', 'meta'])
    const deactivated = await collectFrom('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
    )
    expect(deactivated).toContainEqual({
      topic,
      event: 'end_subscriptions',
      payload: { users: [fixture.account.cem] },
    })
    expect(await epochOf(fixture.closed)).toBe(before)
  })

  it('ends the subscriptions of an account that is deleted', async () => {
    const { epoch } = await countersOf()
    const topics = await fixture.service(async (s) => {
      await s.rows('update public.profiles set user_id = null where id = $1', [fixture.profile.bea])
      await s.rows('set constraints all immediate')
      return s.rows<{ topic: string }>(
        `select topic from realtime.messages
         where event = 'end_subscriptions' and payload = $1 and xmin = pg_current_xact_id()::xid`,
        [{ users: [fixture.account.bea] }],
      )
    })
    const ended = topics.map(({ topic }) => topic)
    expect(ended).toEqual(
      expect.arrayContaining([
        channelTopic(fixture.closed, await epochOf(fixture.closed)),
        workspaceTopic(fixture.workspace, epoch),
      ]),
    )
    expect(ended).not.toContain(channelTopic(fixture.lobby, await epochOf(fixture.lobby)))
  })

  it('moves a channel to a new topic when someone with a history start joins', async () => {
    const before = await epochOf(fixture.side)
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.side, people: [fixture.profile.gus] }),
    )
    expect(await epochOf(fixture.side)).toBe(before + 1)
    // A guest no longer receives events of a public channel either.
    const removed = await collectFrom('bea', (s) =>
      s.call('remove_member', { channel: fixture.side, person: fixture.profile.gus }),
    )
    expect(removed).toContainEqual({
      topic: channelTopic(fixture.side, before + 1),
      event: 'end_subscriptions',
      payload: { users: [fixture.account.gus] },
    })
  })

  it('the topic of a channel shows its readers broadcasts, and no presence', async () => {
    const topic = channelTopic(fixture.lobby, await epochOf(fixture.lobby))
    await fixture.rolledBackAs('bea', async (s) => {
      await s.rows('reset role')
      await s.rows(
        `insert into realtime.messages (topic, extension) values ($1, 'broadcast'), ($1, 'presence')`,
        [topic],
      )
      await s.rows(
        `select set_config('realtime.topic', $1, true), set_config('role', 'authenticated', true)`,
        [topic],
      )
      expect(await s.rows('select distinct extension from realtime.messages')).toEqual([
        { extension: 'broadcast' },
      ])
    })
  })

  it('the topic of a user shows nothing of other users', async () => {
    await fixture.rolledBackAs('omar', async (s) => {
      expect(await s.value('select count(*)::int from realtime.messages')).toBe(0)
    })
    await fixture.rolledBackAs('bea', async (s) => {
      await s.rows(`select set_config('realtime.topic', $1, true)`, [userTopic(fixture.profile.bea)])
      const rows = await s.rows<{ topic: string }>('select distinct topic from realtime.messages')
      expect(rows).toEqual([{ topic: userTopic(fixture.profile.bea) }])
      const topic = channelTopic(
        fixture.lobby,
        await s.value('select epoch from public.channel_counters where channel_id = $1', [fixture.lobby]),
      )
      for (const sql of [
        `insert into realtime.messages (topic, extension, private) values ('${topic}', 'broadcast', true)`,
        `insert into realtime.messages (topic, extension, private) values ('${topic}', 'presence', true)`,
      ]) {
        expect((await s.refusal((t) => t.rows(sql))).code).toBe('42501')
      }
      expect(await s.rows(`update realtime.messages set payload = '{}' where true returning id`)).toEqual([])
    })
  })

  it('sends a renamed workspace once to its full members and to each guest, and nothing where the name stays the same', async () => {
    const rename = (name: string) =>
      collectFrom('ann', (s) => s.call('rename_workspace', { workspace: fixture.workspace, name }))
    const sent = await rename('Harbour Street 7')
    const { epoch } = await countersOf()
    expect(sent.map(({ topic }) => topic)).toEqual([
      workspaceTopic(fixture.workspace, epoch),
      userTopic(fixture.profile.gus),
    ])
    expect(sent[0]).toMatchObject({
      event: 'workspace_changed',
      payload: { workspace: { id: fixture.workspace, name: 'Harbour Street 7' } },
    })
    expect(await rename('Harbour Street 7')).toEqual([])
    await rename('Harbour Street')
  })

  it('makes the backend check a person’s sockets again when their membership ends', async () => {
    const listener = new Client(fixture.database.config('postgres'))
    await listener.connect()
    await listener.query('listen realtime_recheck')
    const notified = new Promise<string>((resolve) => {
      listener.on('notification', ({ payload }) => resolve(payload!))
    })
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.side, people: [fixture.profile.eli] }),
    )
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.side, person: fixture.profile.eli }),
    )
    expect(await notified).toBe(fixture.account.eli)
    const again = new Promise<string>((resolve) => {
      listener.on('notification', ({ payload }) => resolve(payload!))
    })
    await fixture.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.gus }),
    )
    expect(await again).toBe(fixture.account.gus)
    await listener.end()
  })
})
