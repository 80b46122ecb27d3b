/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type Name, type Fixture } from './support/fixture.ts'

/**
 * Rows whose visibility changes, and functions that must agree with the policies. The permission matrix declares who reads
 * each table.
 */
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

  it('shows everyone the avatars of the people whom my_visible_profile_ids names, and no others', async () => {
    const people = Object.values(fixture.profile)
    let visible = 0
    for (const name of names) {
      const [readable, named] = await fixture.rolledBackAs(name, async (s) => [
        await s.value<string[] | null>(
          `select array_agg(p order by p) from unnest($1::uuid[]) p where app.can_read_avatar(p || '/face.webp')`,
          [people],
        ),
        await s.value<string[] | null>(
          'select array_agg(p order by p) from app.my_visible_profile_ids() p where p = any ($1::uuid[])',
          [people],
        ),
      ])
      expect(readable, name).toEqual(named)
      visible += named?.length ?? 0
    }
    expect(visible).toBeGreaterThan(20)
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

  it('shows accounts and their sessions to nobody', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      for (const sql of ['select email from auth.users', 'select id from auth.sessions']) {
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
