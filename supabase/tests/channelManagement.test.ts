/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelPermissions, type ChannelPermissions } from '../../app/data/channels/channelPermissions.ts'
import { type CommandName, type Commands } from '../../wire/commands.ts'
import { channelTopic } from '../../wire/events.ts'
import { LIMITS } from '../../wire/limits.ts'
import { type Message } from '../../wire/messages.ts'
import { testDatabases } from './support/testDatabases.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Name, type Fixture } from './support/fixture.ts'

/** Channels over their life: what they are for, who sees and manages them, and their end. */
describe.each(testDatabases)('caring for channels on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const make = async (kind: 'public' | 'private', people: Name[] = []): Promise<string> => {
    const id = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await s.call('create_channel', { id, workspace: fixture.workspace, kind, name: `c ${id.slice(0, 8)}` })
      await s.call('add_members', { channel: id, people: people.map((who) => fixture.profile[who]) })
    })
    return id
  }
  const change = (who: Name, args: Commands['update_channel']['args']) =>
    fixture.committedAs(who, (s) => s.call('update_channel', args))
  const refused = (who: Name, name: CommandName, args: Commands[CommandName]['args']): Promise<string> =>
    fixture.rolledBackAs(who, (s) => s.failure(name, args as never))
  /** What becomes of asking for a page: its messages, or the name of the failure. */
  const pageOf = async (who: Name, channel: string): Promise<Message[] | string> => {
    try {
      return (await fixture.rolledBackAs(who, (s) => s.call('channel_page', { channel }))).messages
    } catch (error) {
      return (error as Error).message
    }
  }
  const firstOf = async (who: Name, channel: string): Promise<number> =>
    ((await pageOf(who, channel)) as Message[])[0]!.seq!
  const epochOf = (channel: string): Promise<number> =>
    fixture.service(async (s) =>
      Number(await s.value('select epoch from public.channel_counters where channel_id = $1', [channel])),
    )
  const lines = async (channel: string): Promise<unknown[]> => {
    const { messages } = await fixture.rolledBackAs('bea', (s) => s.call('channel_page', { channel }))
    return messages.map((message) => message.system).filter((note) => note && note.event !== 'added')
  }

  it('bounds how many channels and group conversations a member creates', async () => {
    const { workspace, profile } = fixture
    const people = [profile.ann, profile.cem]
    for (const who of ['bea', 'ann'] as const) {
      await fixture.rolledBackAs(who, async (s) => {
        const role = (name: string) => s.rows(`select set_config('role', $1, true)`, [name])
        await role('postgres')
        await s.rows(
          `insert into public.channels (id, workspace_id, kind, name, direct_key, created_by)
           select gen_random_uuid(), $1, made.kind, case when made.kind = 'public' then 'bound ' || n end,
             case when made.kind = 'group' then 'bound ' || n end, $2
           from unnest(array['public', 'group']) made (kind),
             generate_series(1, $3 - (select count(*) from public.channels c
               where c.created_by = $2 and c.workspace_id = $1 and c.deleted_at is null
                 and (c.kind = 'group') = (made.kind = 'group') and c.kind <> 'direct')) n`,
          [workspace, profile[who], LIMITS.createdChannels - 1],
        )
        await role('authenticated')
        const create = { id: randomUUID(), workspace, kind: 'public', name: 'The last one' } as const
        await s.call('create_channel', create)
        await s.call('open_direct', { workspace, people: [...people, profile.gus, profile.eli] })
        const more = { ...create, id: randomUUID(), name: 'One more' }
        // Whoever manages the workspace is not bound: they also remove what others created.
        if (who === 'ann') return s.call('create_channel', more)
        expect(await s.failure('create_channel', more)).toBe('too_many_channels_created')
        expect(await s.failure('open_direct', { workspace, people })).toBe('too_many_channels_created')
        // Conversations of two are bounded by the number of people.
        return s.call('open_direct', { workspace, people: [profile.cem] })
      })
    }
  })

  it('any member can set a description of at most 1,000 characters', async () => {
    const args = {
      id: randomUUID(),
      workspace: fixture.workspace,
      kind: 'public',
      name: 'Greenhouse',
      description: ' Frost, seeds\nand keys ',
      posting: 'admins',
    } as const
    const made = await fixture.committedAs('bea', (s) => s.call('create_channel', args))
    expect(made.channel).toMatchObject({ description: 'Frost, seeds\nand keys', posting: 'admins' })
    expect(await fixture.committedAs('bea', (s) => s.call('create_channel', args))).toEqual(made)
    const channel = args.id
    const long = 'x'.repeat(1001)
    expect(
      await refused('bea', 'create_channel', { ...args, id: randomUUID(), name: 'Long', description: long }),
    ).toBe('channels_description_length')
    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel, people: [fixture.profile.cem, fixture.profile.gus] }),
    )
    for (const fields of [{ kind: 'private' }, { posting: 'everyone' }, { name: 'x' }] as const) {
      expect(await refused('cem', 'update_channel', { channel, ...fields })).toBe('not_allowed')
    }
    expect(await refused('gus', 'update_channel', { channel, description: 'x' })).toBe('not_allowed')
    // A change of the topic posts a system message, so only people who can post here can change it.
    for (const fields of [{ topic: 'My boat' }, { description: 'is for sale' }]) {
      expect(await refused('cem', 'update_channel', { channel, ...fields })).toBe('not_allowed')
    }
    await change('bea', { channel, posting: 'everyone' })
    expect(await refused('cem', 'update_channel', { channel, description: long })).toBe(
      'channels_description_length',
    )
    expect((await change('cem', { channel, description: 'Seeds' })).channel.description).toBe('Seeds')
    expect(await lines(channel)).toEqual([
      { event: 'created' },
      { event: 'posting', posting: 'everyone' },
      { event: 'description', description: 'Seeds' },
    ])
    for (const kind of ['direct', 'group', 'x'] as never[]) {
      expect(await refused('bea', 'update_channel', { channel, kind })).toBe('channels_kind_known')
    }
    expect(await refused('bea', 'update_channel', { channel: fixture.direct, kind: 'public' })).toBe(
      'not_allowed',
    )
  })

  it('a channel that becomes private is removed from everyone else before further events are published', async () => {
    const channel = await make('public', ['cem', 'eli', 'gus'])
    // Eli was a guest once: in a public channel his floor means nothing.
    await fixture.service(
      (s) =>
        s.rows(
          'update public.channel_members set history_from_seq = 3 where channel_id = $1 and profile_id = $2',
          [channel, fixture.profile.eli],
        ),
      true,
    )
    const invite = (from: Name) =>
      fixture.committedAs(from, (s) =>
        s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [channel] }),
      )
    const { token } = await invite('ann')
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel }))
    const before = [await firstOf('eli', channel), await firstOf('gus', channel)]
    expect(await firstOf('cem', channel)).toBe(1)
    const notified: string[] = []
    const listener = new Client(fixture.database.config('postgres'))
    await listener.connect()
    await listener.query('listen realtime_recheck')
    listener.on('notification', ({ payload }) => notified.push(payload!))
    const epoch = await epochOf(channel)
    const events = await collectBroadcasts(fixture, 'bea', (s) =>
      s.call('update_channel', { channel, kind: 'private', name: 'The sale', description: 'To whom' }),
    )
    await listener.query('select')
    await listener.end()
    expect(new Set(notified)).toEqual(
      new Set(['ann', 'cem', 'sid', 'eli', 'dee'].map((n) => fixture.account[n as Name])),
    )

    // The subscriptions of those who lose access end before the new name is broadcast.
    const onChannel = events.filter((event) => event.topic === channelTopic(channel, epoch))
    expect(onChannel[0]!.event).toBe('end_subscriptions')
    const { users } = onChannel[0]!.payload as { users: string[] }
    for (const name of ['ann', 'cem', 'sid'] as const) expect(users).toContain(fixture.account[name])
    for (const name of ['bea', 'eli', 'gus'] as const) expect(users).not.toContain(fixture.account[name])
    expect(onChannel.map((event) => event.event)).toContain('meta')
    expect(
      JSON.stringify(
        events
          .filter((event) => event.topic !== channelTopic(channel, epoch))
          .filter((event) => !event.topic.startsWith(`user:${fixture.profile.eli}`)),
      ),
    ).not.toMatch(/The sale|To whom|visibility/)
    expect(await epochOf(channel)).toBe(epoch)

    for (const who of ['ann', 'cem', 'omar'] as const) {
      expect(await pageOf(who, channel), who).toBe('not_found')
      expect(await refused(who, 'join_channel', { channel }), who).toBe('not_found')
      const visible = await fixture.rolledBackAs(who, (s) =>
        s.value('select count(*)::int from public.messages where channel_id = $1', [channel]),
      )
      expect(visible, who).toBe(0)
    }
    const { channels } = await fixture.rolledBackAs('ann', (s) =>
      s.call('browse_channels', { workspace: fixture.workspace }),
    )
    expect(channels.map((entry) => entry.channel.id)).not.toContain(channel)
    // Members lost no access, and a guest gained none.
    expect([await firstOf('eli', channel), await firstOf('gus', channel)]).toEqual(before)
    expect(before[0]).toBe(1)
    expect(before[1]).toBeGreaterThan(1)
    // An old invitation of someone outside opens it no more.
    expect(await fixture.rolledBackAs('anon', (s) => s.call('view_invitation', { token }))).toMatchObject({
      channels: [],
    })
    expect(await refused('cem', 'update_channel', { channel, kind: 'public' })).toBe('not_found')

    await change('bea', { channel, kind: 'public' })
    expect(await firstOf('ann', channel)).toBe(1)
    expect(await firstOf('cem', channel)).toBe(1)
    expect(await firstOf('gus', channel)).toBe(before[1])
    expect(await epochOf(channel)).toBe(epoch)
    expect((await lines(channel)).slice(-2)).toEqual([
      { event: 'visibility', kind: 'private' },
      { event: 'visibility', kind: 'public' },
    ])
  })

  it('an archived channel accepts no messages, reactions, changes or new members, and everything else', async () => {
    const channel = await make('public', ['cem', 'gus', 'eli'])
    const [id, answer] = [randomUUID(), randomUUID()]
    await fixture.committedAs('cem', async (s) => {
      await s.call('send_message', { id, channel, body: 'Mine' })
      await s.call('send_message', { id: answer, channel, body: 'Re', thread_root: id })
    })
    for (const who of ['cem', 'gus'] as const) {
      expect(await refused(who, 'archive_channel', { channel, on: true }), who).toBe('not_allowed')
    }
    expect(await refused('ann', 'archive_channel', { channel, on: true })).toBe('not_a_member')
    for (const who of ['omar', 'zoe', 'dee', 'max'] as const) {
      expect(await refused(who, 'archive_channel', { channel, on: true }), who).toBe('not_found')
    }
    expect(await refused('bea', 'archive_channel', { channel: fixture.direct, on: true })).toBe('not_allowed')
    const closed = await fixture.committedAs('bea', (s) => s.call('archive_channel', { channel, on: true }))
    expect(closed.channel.archived_at).toBeTruthy()
    expect(await fixture.committedAs('bea', (s) => s.call('archive_channel', { channel, on: true }))).toEqual(
      closed,
    )

    const no: [CommandName, Commands[CommandName]['args']][] = [
      ['send_message', { id: randomUUID(), channel, body: 'x' }],
      ['send_message', { id: randomUUID(), channel, body: 'x', thread_root: id }],
      ['edit_message', { id, body: 'x' }],
      ['react', { message: id, emoji: '👍', on: true }],
      ['pin_message', { message: id, on: true }],
      ['typing', { channel }],
      ['update_channel', { channel, topic: 'x' }],
      ['update_channel', { channel, kind: 'private' }],
      ['add_members', { channel, people: [fixture.profile.ann] }],
      ['set_channel_role', { channel, person: fixture.profile.cem, role: 'admin' }],
    ]
    for (const [name, args] of no) {
      for (const who of ['bea', 'cem'] as const) expect(await refused(who, name, args), name).toBe('archived')
    }
    expect(await refused('ann', 'join_channel', { channel })).toBe('archived')
    const { token } = await fixture.committedAs('ann', (s) =>
      s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [channel] }),
    )
    await fixture.rolledBackAs('omar', async (s) => {
      const came = await s.call('accept_invitation', { token, person_name: 'Omar' })
      expect(came.channel_id).toBeNull()
    })
    await fixture.rolledBackAs('cem', async (s) => {
      expect((await s.call('channel_page', { channel })).messages.length).toBeGreaterThan(2)
      const { state } = (await s.call('bootstrap', {})).channels.find((e) => e.channel.id === channel)!
      expect(await s.call('mark_read', { channel, seq: 99, read_version: state.read_version })).toMatchObject(
        { applied: true, counts: { unread: 0 } },
      )
      expect(
        await s.rows(
          'update public.channel_member_state set muted = true where channel_id = $1 returning muted',
          [channel],
        ),
      ).toEqual([{ muted: true }])
      expect((await s.call('follow_thread', { root: id, on: false })).thread.follows).toBe(false)
      expect((await s.call('delete_message', { id: answer })).message.deleted_at).toBeTruthy()
      expect(await s.call('leave_channel', { channel })).toEqual({ channel_id: channel })
    })
    await fixture.rolledBackAs('bea', (s) =>
      s.call('remove_member', { channel, person: fixture.profile.eli }),
    )
    const again = await fixture.committedAs('bea', (s) => s.call('archive_channel', { channel, on: false }))
    expect(again.channel.archived_at).toBeNull()
    await fixture.rolledBackAs('cem', (s) => s.call('react', { message: id, emoji: '👍', on: true }))
    expect((await lines(channel)).slice(-2)).toEqual([{ event: 'archived' }, { event: 'unarchived' }])
  })

  it('a refused name does not reveal that a private channel exists, on creating, renaming or opening one', async () => {
    const { workspace } = fixture
    const create = (who: Name, kind: 'public' | 'private', name: string, id = randomUUID()) =>
      fixture.committedAs(who, (s) => s.call('create_channel', { id, workspace, kind, name }))
    const change = (who: Name, channel: string, args: { name?: string; kind?: 'public' }) =>
      fixture.committedAs(who, (s) => s.call('update_channel', { channel, ...args }))
    const taken = { message: 'channels_name_unique' }
    // Two private channels and a public one with the same name, of people who each see one of them.
    const hidden = await create('bea', 'private', 'Acquisition')
    const other = await create('cem', 'private', 'ACQUISITION')
    const open = await create('ann', 'public', 'acquisition')
    expect(open.channel.name).toBe('acquisition')
    // What one reads oneself is refused.
    await expect(create('bea', 'private', ' acquisition ')).rejects.toMatchObject(taken)
    await expect(create('eli', 'private', 'acquisition')).rejects.toMatchObject(taken)
    await expect(change('bea', hidden.channel.id, { kind: 'public' })).rejects.toMatchObject(taken)
    await change('ann', open.channel.id, { name: 'purchases' })
    await expect(change('bea', hidden.channel.id, { name: 'Purchases' })).rejects.toMatchObject(taken)
    // Of the two that remain, one becomes public whatever the other is called; the other keeps its name and is closed
    // and opened again.
    expect((await change('bea', hidden.channel.id, { kind: 'public' })).channel.kind).toBe('public')
    for (const on of [true, false])
      await fixture.committedAs('cem', (s) => s.call('archive_channel', { channel: other.channel.id, on }))
    await expect(change('cem', other.channel.id, { kind: 'public' })).rejects.toMatchObject(taken)
    await change('cem', other.channel.id, { name: 'Another' })
    expect(
      (await change('eli', (await create('eli', 'private', 'mine')).channel.id, { name: 'ANOTHER' })).channel
        .name,
    ).toBe('ANOTHER')
  })

  it('makes members its admins, never guests, and is found again when nobody manages it', async () => {
    const channel = await make('private', ['cem', 'gus', 'eli'])
    const { ann, bea, cem, gus, omar } = fixture.profile
    const role = (person: string, to: 'admin' | 'member') => ({ channel, person, role: to })
    expect(await refused('cem', 'set_channel_role', role(cem, 'admin'))).toBe('not_allowed')
    expect(await refused('ann', 'set_channel_role', role(cem, 'admin'))).toBe('not_found')
    expect(await refused('bea', 'set_channel_role', role(gus, 'admin'))).toBe('not_allowed')
    for (const person of [ann, omar, randomUUID()]) {
      expect(await refused('bea', 'set_channel_role', role(person, 'admin'))).toBe('not_found')
    }
    expect(await refused('bea', 'set_channel_role', role(cem, 'owner' as never))).toBe(
      'channel_members_role_known',
    )
    expect(
      await refused('ann', 'set_channel_role', { channel: fixture.direct, person: bea, role: 'admin' }),
    ).toBe('not_allowed')
    const events = await collectBroadcasts(fixture, 'bea', (s) =>
      s.call('set_channel_role', role(cem, 'admin')),
    )
    expect(events.map((event) => event.event)).toEqual(['meta', 'membership'])
    expect(
      await collectBroadcasts(fixture, 'bea', (s) => s.call('set_channel_role', role(cem, 'admin'))),
    ).toEqual([])
    const { people } = await fixture.rolledBackAs('eli', (s) => s.call('channel_people', { channel }))
    expect(
      people
        .filter((one) => one.role === 'admin')
        .map((one) => one.profile_id)
        .toSorted(),
    ).toEqual([bea, cem].toSorted())
    await fixture.committedAs('cem', (s) => s.call('set_channel_role', role(bea, 'member')))
    expect(await refused('bea', 'update_channel', { channel, name: 'x' })).toBe('not_allowed')
    // The last one may go, too; then those who are in it say who manages, a guest not.
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel }))
    expect(await refused('gus', 'set_channel_role', role(bea, 'admin'))).toBe('not_allowed')
    expect(await refused('ann', 'set_channel_role', role(bea, 'admin'))).toBe('not_found')
    await fixture.committedAs('eli', (s) => s.call('set_channel_role', role(bea, 'admin')))
    expect(await refused('eli', 'set_channel_role', role(fixture.profile.eli, 'admin'))).toBe('not_allowed')
    // While an owner of the workspace belongs, a channel without admins is managed.
    await fixture.committedAs('bea', (s) => s.call('add_members', { channel, people: [ann] }))
    await fixture.committedAs('bea', (s) => s.call('set_channel_role', role(bea, 'member')))
    expect(await refused('bea', 'set_channel_role', role(bea, 'admin'))).toBe('not_allowed')
  })

  it('keeps channel_member_state when a member leaves, so that its version never decreases, and broadcasts nothing of it', async () => {
    const channel = await make('private', ['cem'])
    const stateOf = async () =>
      (await fixture.rolledBackAs('cem', (s) => s.call('bootstrap', {}))).channels.find(
        (e) => e.channel.id === channel,
      )!.state
    await fixture.committedAs('bea', (s) => s.call('send_message', { id: randomUUID(), channel, body: 'x' }))
    for (let version = (await stateOf()).read_version, i = 0; i < 3; i++, version += 2) {
      await fixture.committedAs('cem', (s) =>
        s.call('mark_read', { channel, seq: 99, read_version: version }),
      )
      await fixture.committedAs('cem', (s) => s.call('mark_unread', { channel, seq: 2 }))
    }
    const { read_version } = await stateOf()
    expect(read_version).toBeGreaterThan(3)
    for (const way of ['leave', 'remove'] as const) {
      const before = (await stateOf()).read_version
      if (way === 'leave') await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel }))
      else
        await fixture.committedAs('bea', (s) =>
          s.call('remove_member', { channel, person: fixture.profile.cem }),
        )
      expect(
        await fixture.rolledBackAs('cem', (s) =>
          s.value('select count(*)::int from public.channel_member_state where channel_id = $1', [channel]),
        ),
      ).toBe(0)
      expect(
        await fixture.rolledBackAs('cem', (s) =>
          s.rows(
            'update public.channel_member_state set muted = true where channel_id = $1 returning muted',
            [channel],
          ),
        ),
      ).toEqual([])
      await fixture.committedAs('bea', (s) =>
        s.call('add_members', { channel, people: [fixture.profile.cem] }),
      )
      expect((await stateOf()).read_version, way).toBeGreaterThan(before)
    }
  })

  it('grants in a channel just what the app offers there', async () => {
    const everyone: Name[] = ['ann', 'bea', 'cem', 'gus']
    const shut = await make('public', ['ann', 'cem', 'gus'])
    const telling = await make('public', ['cem', 'gus'])
    const unmanaged = await make('private', ['cem', 'gus'])
    // Each channel with the people who can see it; others get no permissions, and no reason.
    const channels: [string, Name[]][] = [
      [await make('public', ['cem', 'gus']), everyone],
      [await make('private', ['ann', 'cem']), ['ann', 'bea', 'cem']],
      [telling, everyone],
      [shut, everyone],
      [unmanaged, ['bea', 'cem', 'gus']],
      [fixture.direct, ['ann', 'bea']],
    ]
    await change('bea', { channel: telling, posting: 'admins' })
    await fixture.committedAs('bea', (s) => s.call('archive_channel', { channel: shut, on: true }))
    await fixture.committedAs('bea', (s) =>
      s.call('set_channel_role', { channel: unmanaged, person: fixture.profile.bea, role: 'member' }),
    )
    const apart: string[] = []
    const granted = new Set<keyof ChannelPermissions>()
    for (const [at, [channel, people]] of channels.entries()) {
      for (const who of people) {
        await fixture.rolledBackAs(who, async (s) => {
          const { me } = await s.call('bootstrap', {})
          const { entry } = await s.call('channel_changes', { channel, after_rev: -1 })
          const offered = channelPermissions(entry!, me!.role, channel === unmanaged)
          const person = fixture.profile[who === 'cem' ? 'bea' : 'cem']
          const commands: [keyof ChannelPermissions, CommandName, Commands[CommandName]['args']][] = [
            ['post', 'send_message', { id: randomUUID(), channel, body: 'x' }],
            ['topic', 'update_channel', { channel, topic: 'x' }],
            ['manage', 'update_channel', { channel, posting: 'everyone' }],
            ['addPeople', 'add_members', { channel, people: [] }],
            ['removePeople', 'remove_member', { channel, person }],
            ['appoint', 'set_channel_role', { channel, person: fixture.profile.bea, role: 'admin' }],
            ['archive', 'archive_channel', { channel, on: channel !== shut }],
          ]
          if (!entry!.member) commands.push(['join', 'join_channel', { channel }])
          for (const [right, command, args] of commands) {
            const refusal = await s.failure(command, args as never).catch(() => null)
            if (refusal === null) granted.add(right)
            if (offered[right] !== (refusal === null))
              apart.push(`${who} ${right} in ${at}: ${refusal ?? 'granted'}`)
          }
        })
      }
    }
    expect(apart).toEqual([])
    expect(granted.size).toBe(8)
  })
})
