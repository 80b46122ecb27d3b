/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type Name, type Fixture } from './support/fixture.ts'

/** Who sees what, table by table. The expectation is written by hand, never derived from the policies. */
describe.each(testDatabases)('reading on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  /** Everyone with a place in the workspace whose session lives. */
  const inside: Name[] = ['ann', 'bea', 'cem', 'gus', 'eli']
  const outside = names.filter((name) => !inside.includes(name))

  const count = (name: Name | 'anon', sql: string, values: unknown[] = []): Promise<number> =>
    fixture.rolledBackAs(name, (s) => s.value<number>(`select count(*)::int from ${sql}`, values))

  const readers = async (sql: string, values: unknown[] = []): Promise<Name[]> => {
    const found: Name[] = []
    for (const name of names) if ((await count(name, sql, values)) > 0) found.push(name)
    return found
  }

  it('shows the lobby to its members and a public channel to full members', async () => {
    expect(await readers('channels where id = $1', [fixture.lobby])).toEqual(inside)
    expect(await readers('channels where id = $1', [fixture.side])).toEqual(['ann', 'bea', 'cem', 'eli'])
  })

  it('shows a private channel to its members, not to the owner of the workspace or to a removed member', async () => {
    for (const table of [
      'channels where id',
      'channel_counters where channel_id',
      'channel_members where channel_id',
    ]) {
      expect(await readers(`${table} = $1`, [fixture.closed]), table).toEqual(['bea', 'cem'])
    }
    expect(await readers('messages where channel_id = $1', [fixture.closed])).toEqual(['bea', 'cem'])
    expect(await readers('channels where id = $1', [fixture.direct])).toEqual(['ann', 'bea'])
  })

  it('shows what hangs on a message with the message', async () => {
    const full: Name[] = ['ann', 'bea', 'cem', 'eli']
    for (const table of [
      'messages where id',
      'reactions where message_id',
      'pins where message_id',
      'mentions where message_id',
    ]) {
      expect(await readers(`${table} = $1`, [fixture.messages.old]), table).toEqual(full)
      expect(await readers(`${table} = $1`, [fixture.messages.secret]), table).toEqual(['bea', 'cem'])
    }
    expect(await readers('messages where thread_root = $1', [fixture.messages.old])).toEqual(full)
  })

  it('shows a guest nothing from before they came, not even a new reply to an old root', async () => {
    expect(await count('gus', 'messages where id = $1', [fixture.messages.fresh])).toBe(1)
    expect(await count('gus', 'messages where id = $1', [fixture.messages.old])).toBe(0)
    await fixture.committedAs('cem', (s) =>
      s.call('send_message', {
        id: '00000000-0000-4000-8000-0000000000aa',
        channel: fixture.lobby,
        body: 'Late words',
        thread_root: fixture.messages.old,
      }),
    )
    expect(await count('bea', `messages where body = 'Late words'`)).toBe(1)
    expect(await count('gus', `messages where body = 'Late words'`)).toBe(0)
  })

  it('shows earlier versions, channel states and thread states only to their person, and heartbeats to nobody', async () => {
    expect(await readers('message_revisions')).toEqual(['bea'])
    expect(await readers('channel_member_state where profile_id = $1', [fixture.profile.bea])).toEqual([
      'bea',
    ])
    expect(await readers('thread_members where profile_id = $1', [fixture.profile.cem])).toEqual(['cem'])
  })

  it('members see each other, guests only people in the same channels, outsiders nobody', async () => {
    const known = (name: Name): Promise<number> => count(name, 'profiles')
    expect(await known('bea')).toBe(8)
    await fixture.service(async (s) => {
      const alone = await s.value<string>(`insert into public.profiles (name) values ('Una') returning id`)
      await s.rows(`insert into public.workspace_members values ($1, $2, 'member')`, [
        fixture.workspace,
        alone,
      ])
    }, true)
    expect(await known('bea')).toBe(9)
    expect(await known('gus')).toBe(8)
    for (const name of outside) {
      expect(await count(name, 'profiles where id <> $1', [fixture.profile[name]]), name).toBe(0)
    }
  })

  it('shows everyone the profiles that my_visible_profile_ids names, and no others', async () => {
    for (const name of names) {
      const [byPolicy, named] = await fixture.rolledBackAs(name, async (s) => [
        await s.value('select array_agg(id order by id) from public.profiles'),
        await s.value('select array_agg(p order by p) from app.my_visible_profile_ids() p'),
      ])
      expect(byPolicy, name).toEqual(named)
    }
  })

  it('shows a profile with its membership, also after the membership moves to another workspace', async () => {
    const person = await fixture.service(
      (s) => s.value<string>(`insert into public.profiles (name) values ('Uma') returning id`),
      true,
    )
    const sees = (name: Name): Promise<number> => count(name, 'profiles where id = $1', [person])
    const change = (sql: string): Promise<unknown> => fixture.service((s) => s.rows(sql, [person]), true)
    expect([await sees('bea'), await sees('zoe')]).toEqual([0, 0])
    await change(
      `insert into public.workspace_members (workspace_id, profile_id, role, state)
       select workspace_id, $1, 'member', 'deactivated' from public.workspace_members m
       join public.profiles p on p.id = m.profile_id where p.name = 'Ann Okafor'`,
    )
    expect([await sees('bea'), await sees('zoe')]).toEqual([1, 0])
    await change(
      `update public.workspace_members set workspace_id = (
         select id from public.workspaces where id <> workspace_members.workspace_id)
       where profile_id = $1`,
    )
    expect([await sees('bea'), await sees('zoe')]).toEqual([0, 1])
    await change('delete from public.workspace_members where profile_id = $1')
    expect([await sees('bea'), await sees('zoe')]).toEqual([0, 0])
    await change('delete from public.profiles where id = $1')
  })

  it('shows everyone the messages of the channels that my_readable_channels names, and no others', async () => {
    for (const name of names) {
      const [byPolicy, named] = await fixture.rolledBackAs(name, async (s) => [
        await s.value('select array_agg(id order by id) from public.messages'),
        await s.rows('select channel_id, history_from_seq from app.my_readable_channels()'),
      ])
      const readable = await fixture.service((s) =>
        s.value(
          `select array_agg(m.id order by m.id) from public.messages m
           join jsonb_to_recordset($1) r (channel_id uuid, history_from_seq bigint)
             on r.channel_id = m.channel_id and m.history_seq >= r.history_from_seq`,
          [JSON.stringify(named)],
        ),
      )
      expect(byPolicy, name).toEqual(readable)
    }
  })

  it('shows messages by a membership only in the workspace of the channel, also after the channel moves', async () => {
    const sees = (name: Name): Promise<number> =>
      count(name, 'messages where channel_id = $1', [fixture.direct])
    const before = await sees('bea')
    expect(before).toBeGreaterThan(0)
    const workspaces = await fixture.service((s) =>
      s.rows<{ workspace_id: string }>(
        'select distinct workspace_id from public.channel_members where channel_id = $1',
        [fixture.direct],
      ),
    )
    expect(workspaces).toEqual([{ workspace_id: fixture.workspace }])
    const moveTo = (condition: string): Promise<unknown> =>
      fixture.service(
        (s) =>
          s.rows(
            `update public.channels set workspace_id = (select id from public.workspaces where ${condition}) where id = $1`,
            [fixture.direct],
          ),
        true,
      )
    await moveTo(`id <> '${fixture.workspace}' limit 1`)
    expect(await sees('bea')).toBe(0)
    // Whatever a statement gives as the workspace of a membership.
    await fixture.service(
      (s) =>
        s.rows('update public.channel_members set workspace_id = $2 where channel_id = $1', [
          fixture.direct,
          fixture.workspace,
        ]),
      true,
    )
    expect(await sees('bea')).toBe(0)
    await moveTo(`id = '${fixture.workspace}'`)
    expect(await sees('bea')).toBe(before)
  })

  it('shows nothing to outsiders, deactivated and expired members, and ended sessions', async () => {
    const tables = await fixture.service((s) =>
      s.rows<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
           and has_any_column_privilege('authenticated', oid, 'select')`,
      ),
    )
    expect(tables.length).toBeGreaterThan(12)
    await fixture.committedAs('ann', async (s) => {
      const workspace = fixture.workspace
      await s.call('create_bot', { id: randomUUID(), workspace, name: 'Build', channels: [fixture.lobby] })
      await s.call('save_draft', { id: randomUUID(), channel: fixture.lobby, body: 'Later' })
      await s.call('save_message', { message: fixture.messages.fresh, state: 'saved' })
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
      await s.call('schedule_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: 'Tomorrow',
        send_at: tomorrow,
      })
      await s.call('set_reminder', {
        id: randomUUID(),
        workspace,
        text: 'Rota',
        due_at: tomorrow,
        time_zone: 'Europe/Berlin',
      })
      await s.rows(
        `insert into public.saved_searches (id, workspace_id, name, query) values ($1, $2, 'Rota', 'rota')`,
        [randomUUID(), workspace],
      )
      await s.rows('insert into public.notification_preferences (workspace_id) values ($1)', [workspace])
      const url = 'https://linnet.example'
      await s.call('add_bookmark', { id: randomUUID(), channel: fixture.lobby, title: 'Home', url })
    })
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.command_responses (id, invocation_id, profile_id, channel_id, bot_id, command, text, state)
           select gen_random_uuid(), gen_random_uuid(), $1, $2, profile_id, 'tide', '', 'pending' from public.bots limit 1`,
          [fixture.profile.ann, fixture.lobby],
        ),
      true,
    )
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.custom_emoji (id, workspace_id, name, author_id)
           select gen_random_uuid(), workspace_id, 'party_linnet', profile_id
           from public.workspace_members where workspace_id = $1 limit 1`,
          [fixture.workspace],
        ),
      true,
    )
    await fixture.committedAs('ann', (s) =>
      s.call('create_group', {
        id: randomUUID(),
        workspace: fixture.workspace,
        name: 'Gardeners',
        people: [fixture.profile.ann],
      }),
    )
    await fixture.service(async (s) => {
      const { ann, bea, cem, gus } = fixture.profile
      await s.rows(
        'insert into public.application_grants (profile_id, client_id, scopes) values ($1, gen_random_uuid(), $2)',
        [ann, []],
      )
      await s.rows('insert into public.blocks (profile_id, blocked_id) values ($1, $2)', [gus, cem])
      await s.rows(
        `insert into public.silences (workspace_id, profile_id, until, reason) values ($1, $2, now(), 'Loud')`,
        [fixture.workspace, bea],
      )
    }, true)
    // The service sees rows in each of them, so that seeing none means something.
    for (const { name: table } of tables) {
      const rows = await fixture.service((s) => s.value(`select count(*)::int from public.${table}`))
      expect(rows, table).toBeGreaterThan(table === 'attachments' ? -1 : 0)
      const visible = table === 'invitations' ? '(select id from public.invitations) x' : `public.${table}`
      for (const name of outside) {
        // One's own card stays, and Zoe has a workspace of her own.
        const own: Partial<Record<Name, string[]>> = {
          zoe: ['workspaces', 'workspace_members', 'profiles'],
          dee: ['profiles'],
          max: ['profiles'],
        }
        expect(await count(name, visible), `${name} in ${table}`).toBe(own[name]?.includes(table) ? 1 : 0)
      }
      const refusal = await fixture.rolledBackAs('anon', (s) =>
        s.refusal((t) => t.rows(`select from public.${table}`)),
      )
      expect(refusal.code, `anon in ${table}`).toBe('42501')
    }
  })

  it('shows hashes, accounts and search terms to nobody', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.value('select count(id)::int from public.invitations')).toBeGreaterThan(0)
      for (const sql of [
        'select token_hash from public.invitations',
        'select user_id from public.profiles',
        'select words from public.message_search',
        'select word from public.search_vocabulary',
        'select value from public.settings',
        'select profile_id from public.heartbeats',
        'select name from public.file_deletion_queue',
        'select email from auth.users',
        'select id from auth.sessions',
      ]) {
        expect((await s.refusal((t) => t.rows(sql))).code, sql).toBe('42501')
      }
    })
    expect(await count('bea', '(select id from public.invitations) x')).toBe(0)
  })

  it('shows invitations and what they open to admins alone', async () => {
    expect(await readers('(select id from public.invitations) x')).toEqual(['ann'])
    expect(await readers('invitation_channels')).toEqual(['ann'])
  })

  it('nobody can write directly to tables that commands write', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      for (const table of [
        'messages',
        'reactions',
        'pins',
        'mentions',
        'channels',
        'channel_members',
        'workspace_members',
      ]) {
        for (const sql of [
          `delete from public.${table} where true`,
          `insert into public.${table} default values`,
        ]) {
          expect((await s.refusal((t) => t.rows(sql))).code, sql).toBe('42501')
        }
      }
      for (const sql of [
        `update public.messages set body = 'x' where true`,
        `update public.channel_member_state set last_read_seq = 0 where true`,
        `update public.profiles set user_id = null where true`,
        `update public.profiles set kind = 'bot' where true`,
        `update public.channel_counters set epoch = 9 where true`,
      ]) {
        expect((await s.refusal((t) => t.rows(sql))).code, sql).toBe('42501')
      }
    })
  })

  it('people can change their own profile and preferences only', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const mine = await s.rows(
        `update public.profiles set name = 'Bea L.', status_text = 'On call' where true returning id`,
      )
      expect(mine).toEqual([{ id: fixture.profile.bea }])
      const states = await s.rows<{ profile_id: string }>(
        `update public.channel_member_state set starred = true, notify = 'all' where true returning profile_id`,
      )
      expect(new Set(states.map((row) => row.profile_id))).toEqual(new Set([fixture.profile.bea]))
      const taken = await s.refusal((t) =>
        t.rows(`update public.profiles set avatar = $1 where true`, [`${fixture.profile.ann}/a.png`]),
      )
      expect(taken.constraint).toBe('profiles_avatar_own_folder')
    })
    for (const name of outside.filter((name) => !['zoe', 'dee', 'max'].includes(name))) {
      expect(
        await fixture.rolledBackAs(name, (s) =>
          s.rows(`update public.profiles set name = 'x' where true returning id`),
        ),
      ).toEqual([])
    }
  })

  it('search returns exactly the messages that the policies show', async () => {
    for (const name of inside) {
      await fixture.rolledBackAs(name, async (s) => {
        const found = await s.call('search_messages', { workspace: fixture.workspace, query: 'orchids' })
        const seen = await s.rows<{ id: string }>(
          `select id from public.messages where body ilike '%orchids%' order by created_at desc, id desc`,
        )
        expect(
          found.hits.map((hit) => hit.message.id),
          name,
        ).toEqual(seen.map((row) => row.id))
        expect(seen.length, name).toBe({ ann: 3, bea: 4, cem: 3, gus: 1, eli: 2 }[name as 'ann'])
      })
    }
  })

  it('hides a thread state from a person who can no longer read the thread', async () => {
    const place = () => count('cem', 'thread_members where root_id = $1', [fixture.messages.secret])
    expect(await place()).toBe(1)
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.closed, person: fixture.profile.cem }),
    )
    expect(await place()).toBe(0)
  })
})
