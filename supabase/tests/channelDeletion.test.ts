/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelTopic, userTopic } from '../../wire/events.ts'
import type { Workspace } from '../../wire/people.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Ann owns the workspace, Bea creates the channels, Cem administers the workspace or not, Gus is a guest. */
describe.each(testDatabases)('deleting a channel on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const make = async (kind: 'public' | 'private', people: Name[], name: string = randomUUID()) => {
    const id = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await s.call('create_channel', { id, workspace: fixture.workspace, kind, name })
      if (people.length)
        await s.call('add_members', { channel: id, people: people.map((p) => fixture.profile[p]) })
    })
    return { id, name }
  }
  const remove = (who: Name, channel: { id: Uuid; name: string }) =>
    fixture.committedAs(who, (s) => s.call('delete_channel', { channel: channel.id, name: channel.name }))
  const refusal = (who: Name, channel: { id: Uuid; name: string }, option?: Workspace['deletions_by']) =>
    fixture.service(async (s) => {
      if (option) await s.rows('update public.workspaces set deletions_by = $1 where true', [option])
      await become(s, who)
      const name = await s
        .refusal((t) => t.call('delete_channel', { channel: channel.id, name: channel.name }))
        .then(
          (error) => error.message,
          () => null,
        )
      await s.rows('reset role')
      return name
    })
  const become = (s: TestTransaction, who: Name) =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`, [
      JSON.stringify({ role: 'authenticated', sub: fixture.account[who], session_id: fixture.account[who] }),
    ])
  const runJob = async () => {
    const client = new Client(fixture.database.config('postgres'))
    await client.connect()
    try {
      await client.query('call app.delete_deleted_channels()')
    } finally {
      await client.end()
    }
  }
  const upload = async (s: TestTransaction, channel: Uuid) => {
    const id = randomUUID()
    await s.rows('reset role')
    await s.rows(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ('files', $1, $2, $3, '{"size": 5, "mimetype": "text/plain"}')`,
      [`${channel}/${id}/file`, fixture.account.bea, fixture.account.bea],
    )
    await s.rows('set local role authenticated')
    return id
  }
  const sendFile = (channel: Uuid) =>
    fixture.committedAs('bea', async (s) => {
      const file = await upload(s, channel)
      const id = randomUUID()
      await s.call('send_message', {
        id,
        channel,
        body: 'The plan',
        attachments: [{ id: file, name: 'plan.txt', width: null, height: null, thumb: false }],
      })
      return { id, path: `${channel}/${file}/file` }
    })
  const canReadFile = (who: Name, path: string) =>
    fixture.rolledBackAs(who, (s) => s.value<boolean>('select app.can_read_file($1)', [path]))
  const count = (table: string, channel: Uuid, column = 'channel_id') =>
    fixture.service((s) =>
      s.value<number>(`select count(*)::int from public.${table} where ${column} = $1`, [channel]),
    )

  it('is for those who may delete messages of others in it, and for owners and admins', async () => {
    const lobby = { id: fixture.lobby, name: 'lobby' }
    const own = await make('public', ['cem', 'gus'])
    const closed = await make('private', ['cem'])
    // Ann has joined none of them; she reads the public one.
    expect(await refusal('ann', own)).toBeNull()
    expect(await refusal('bea', own)).toBeNull()
    expect(await refusal('bea', closed)).toBeNull()
    expect(await refusal('bea', lobby)).toBe('not_allowed')
    expect(await refusal('cem', own)).toBe('not_allowed')
    expect(await refusal('gus', own)).toBe('not_allowed')
    expect(await refusal('bea', own, 'admins')).toBe('not_allowed')
    expect(await refusal('ann', own, 'admins')).toBeNull()
    expect(await refusal('bea', own, 'authors')).toBe('not_allowed')
    expect(await refusal('ann', own, 'authors')).toBe('not_allowed')
    expect(await refusal('ann', { id: fixture.direct, name: 'x' })).toBe('not_allowed')
    expect(await refusal('bea', { ...own, name: 'lobby' })).toBe('other_channel_name')
  })

  it('takes it from everybody at once, and its name is free', async () => {
    const channel = await make('public', ['cem', 'gus'], 'The sale')
    const { path } = await sendFile(channel.id)
    const { token } = await fixture.committedAs('ann', (s) =>
      s.call('create_invitation', { workspace: fixture.workspace, role: 'guest', channels: [channel.id] }),
    )
    for (const who of ['ann', 'bea', 'cem', 'gus'] as const)
      expect(await canReadFile(who, path), who).toBe(true)
    const epoch = await fixture.service((s) =>
      s.value<number>('select epoch::int from public.channel_counters where channel_id = $1', [channel.id]),
    )
    const events = await collectBroadcasts(fixture, 'bea', (s) =>
      s.call('delete_channel', { channel: channel.id, name: ' The sale ' }),
    )
    const ended = events.flatMap(({ topic, event, payload }) =>
      event === 'end_subscriptions' && topic === channelTopic(channel.id, epoch) ? payload.users : [],
    )
    expect(ended).toEqual(
      expect.arrayContaining((['ann', 'bea', 'cem', 'gus'] as const).map((who) => fixture.account[who])),
    )
    for (const who of ['bea', 'cem', 'gus'] as const)
      expect(
        events.filter(
          ({ topic, event }) => topic === userTopic(fixture.profile[who]) && event === 'membership',
        ),
        who,
      ).toMatchObject([{ payload: { channel_id: channel.id, entry: null } }])
    for (const who of ['ann', 'bea', 'cem', 'gus', 'omar'] as const) {
      expect(
        await fixture.rolledBackAs(who, (s) => s.failure('channel_page', { channel: channel.id })),
        who,
      ).toBe('not_found')
      expect(await canReadFile(who, path), who).toBe(false)
      const rows = await fixture.rolledBackAs(who, (s) =>
        s.value('select count(*)::int from public.messages where channel_id = $1', [channel.id]),
      )
      expect(rows, who).toBe(0)
    }
    for (const kinds of [['public'], ['private']] as ('public' | 'private')[][]) {
      const listed = await fixture.rolledBackAs('ann', (s) =>
        s.call('list_channels', { workspace: fixture.workspace, kinds }),
      )
      expect(listed.channels.map(({ id }) => id)).not.toContain(channel.id)
    }
    // Repeated after a lost response it succeeds; for others it is gone.
    await remove('bea', channel)
    expect(await refusal('ann', channel)).toBe('not_found')
    await make('public', [], 'The sale')
    expect(
      await fixture.rolledBackAs('omar', (s) =>
        s.failure('accept_invitation', { token, person_name: 'Omar' }),
      ),
    ).toBe('invitation_without_channels')
  })

  it('is recorded with its name, or for a private one without anything that its readers alone know', async () => {
    const [shown, hidden] = [await make('public', []), await make('private', [])]
    const entries = async () =>
      (await fixture.rolledBackAs('ann', (s) => s.call('list_audit_log', { workspace: fixture.workspace })))
        .entries
    await remove('ann', shown)
    expect((await entries())[0]).toMatchObject({
      action: 'channel.deleted',
      actor_id: fixture.profile.ann,
      target: { channel_id: shown.id, kind: 'public', name: shown.name },
    })
    await remove('bea', hidden)
    expect((await entries())[0]).toMatchObject({ action: 'channel.deleted', target: { hidden: true } })
    const before = (await entries()).length
    await runJob()
    expect(await entries()).toHaveLength(before)
  })

  it('cannot be undone by a command that waited for its lock', async () => {
    const channel = await make('public', [])
    await remove('bea', channel)
    await fixture.service(async (s) => {
      for (const change of ['archived_at = null', `kind = 'public'`, 'deleted_at = null'])
        expect(
          (await s.refusal((t) => t.rows(`update public.channels set ${change} where id = $1`, [channel.id])))
            .message,
        ).toBe('not_found')
    })
  })

  it('deletes all rows by a job, and the files that no message elsewhere carries', async () => {
    const channel = await make('public', ['cem'])
    await fixture.committedAs('ann', (s) => s.call('join_channel', { channel: channel.id }))
    await fixture.committedAs('ann', (s) => s.call('join_channel', { channel: fixture.side }))
    const gone = await sendFile(channel.id)
    const kept = await sendFile(channel.id)
    await fixture.committedAs('cem', async (s) => {
      await s.call('send_message', {
        id: randomUUID(),
        channel: channel.id,
        body: 'Seen',
        thread_root: gone.id,
      })
      await s.call('react', { message: gone.id, emoji: '👀', on: true })
    })
    const moved = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('move_thread', { id: moved, message: kept.id, channel: fixture.side, accepted_readers: 99 }),
    )
    // More than one batch.
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, n, n, n, $2, 'Older', now() from generate_series(100, 1300) n`,
          [channel.id, fixture.profile.bea],
        ),
      true,
    )
    await remove('bea', channel)
    expect(await count('messages', channel.id)).toBeGreaterThan(1200)
    await runJob()
    for (const table of [
      'messages',
      'channel_member_state',
      'channel_counters',
      'listed_files',
      'message_search',
    ])
      expect(await count(table, channel.id), table).toBe(0)
    expect(await count('channels', channel.id, 'id')).toBe(0)
    const queued = await fixture.service((s) =>
      s.value<string[]>('select coalesce(array_agg(name), array[]::text[]) from public.file_deletion_queue'),
    )
    expect(queued).toContain(gone.path)
    expect(queued).not.toContain(kept.path)
    const files = await fixture.service((s) =>
      s.value<{ name: string }[]>('select public.list_files_to_delete()'),
    )
    expect(files.map(({ name }) => name)).not.toContain(kept.path)
    expect(await canReadFile('bea', kept.path)).toBe(true)
    expect(await canReadFile('bea', gone.path)).toBe(false)
    const texts = await fixture.service((s) =>
      s.value(
        `select count(*)::int from realtime.messages where topic like $1 and payload <> '{}' and extension = 'broadcast'`,
        [`channel:${channel.id}:%`],
      ),
    )
    expect(texts).toBe(0)
    // The rest of the workspace stays.
    expect(await count('messages', fixture.lobby)).toBeGreaterThan(0)
  })
})
