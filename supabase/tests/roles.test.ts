/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { PersonSort } from '../../wire/administration.ts'
import type { WorkspaceRole } from '../../wire/people.ts'
import { testDatabases } from './support/testDatabases.ts'
import {
  impersonate,
  openFixture,
  transactionOn,
  type Fixture,
  type Name,
  type TestTransaction,
} from './support/fixture.ts'

/** Who may change the role of whom, and how memberships end and begin again. */
describe.each(testDatabases)('roles on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name) =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`, [
      JSON.stringify({ role: 'authenticated', sub: fixture.account[who], session_id: fixture.account[who] }),
    ])
  /** A transaction in which people have these roles, and that is rolled back. */
  const withRoles = (
    roles: Partial<Record<Name, WorkspaceRole>>,
    work: (s: TestTransaction) => Promise<void>,
  ) =>
    fixture.service(async (s) => {
      for (const [who, role] of Object.entries(roles)) {
        await s.rows('update public.workspace_members set role = $2 where profile_id = $1', [
          fixture.profile[who as Name],
          role,
        ])
      }
      await work(s)
      await s.rows('reset role')
    })
  const target = (who: Name) => ({ workspace: fixture.workspace, person: fixture.profile[who] })
  /** As that person: the name of the failure, or the result. */
  const attempt = async <N extends CommandName>(
    s: TestTransaction,
    who: Name,
    name: N,
    args: Commands[N]['args'],
  ): Promise<unknown> => {
    await become(s, who)
    await s.rows('savepoint attempt')
    try {
      return await s.call(name, args)
    } catch (error) {
      await s.rows('rollback to savepoint attempt')
      return (error as Error).message
    }
  }
  const roleOf = (s: TestTransaction, who: Name) =>
    s.value<string>('select role from public.workspace_members where workspace_id = $1 and profile_id = $2', [
      fixture.workspace,
      fixture.profile[who],
    ])
  const reads = (s: TestTransaction) =>
    s.rows<{ channel_id: string }>('select channel_id from app.my_readable_channels() order by 1')

  it('a member who becomes a guest stays in their channels and manages and invites to none', async () => {
    await withRoles({}, async (s) => {
      await become(s, 'bea')
      const own = randomUUID()
      await s.call('create_channel', { id: own, workspace: fixture.workspace, kind: 'private', name: 'own' })
      await s.call('add_members', { channel: own, people: [fixture.profile.cem] })
      await attempt(s, 'ann', 'set_workspace_options', {
        workspace: fixture.workspace,
        invitations_by: 'members',
      })
      await become(s, 'bea')
      const { token } = await s.call('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [own],
      })
      const before = (await reads(s)).length
      expect(before).toBeGreaterThan(3)
      await attempt(s, 'ann', 'set_member_role', { ...target('bea'), role: 'guest' })
      await become(s, 'bea')
      expect((await reads(s)).map((row) => row.channel_id)).toContain(fixture.closed)
      expect(await attempt(s, 'bea', 'update_channel', { channel: own, name: 'mine' })).toBe('not_allowed')
      expect(await attempt(s, 'omar', 'accept_invitation', { token, person_name: 'Omar' })).toBe(
        'invitation_revoked',
      )
      await s.rows('reset role')
      expect(
        await s.value(
          `select profile_id from public.channel_members where channel_id = $1 and role = 'admin'`,
          [own],
        ),
      ).toBe(fixture.profile.cem)
    })
  })

  it('ownership is transferred at once, and the last owner neither leaves nor steps down', async () => {
    await withRoles({}, async (s) => {
      expect(await attempt(s, 'ann', 'leave_workspace', { workspace: fixture.workspace })).toBe('last_owner')
      expect(await attempt(s, 'ann', 'set_member_role', { ...target('ann'), role: 'admin' })).toBe(
        'last_owner',
      )
      expect(await attempt(s, 'bea', 'transfer_ownership', target('bea'))).toBe('not_allowed')
      for (const [who, failure] of [
        ['gus', 'not_allowed'],
        ['dee', 'membership_ended'],
        ['zoe', 'not_found'],
      ] as const) {
        expect(await attempt(s, 'ann', 'transfer_ownership', target(who)), who).toBe(failure)
      }
      expect(await attempt(s, 'ann', 'transfer_ownership', target('cem'))).toMatchObject({ role: 'owner' })
      await s.rows('reset role')
      expect([await roleOf(s, 'ann'), await roleOf(s, 'cem')]).toEqual(['admin', 'owner'])
      expect(await attempt(s, 'ann', 'leave_workspace', { workspace: fixture.workspace })).toEqual({
        workspace_id: fixture.workspace,
      })
      expect(await attempt(s, 'ann', 'reactivate_member', target('ann'))).toBe('not_found')
      // Who left comes back by an invitation.
      expect(await attempt(s, 'cem', 'reactivate_member', target('ann'))).toBe('membership_ended')
    })
  })

  it('an owner whose account is lost does not count, and a successor can leave only after a transfer', async () => {
    await withRoles({ bea: 'owner' }, async (s) => {
      await s.rows(`update auth.users set banned_until = now() + interval '1 year' where id = $1`, [
        fixture.account.ann,
      ])
      expect(await attempt(s, 'bea', 'leave_workspace', { workspace: fixture.workspace })).toBe('last_owner')
    })
    await withRoles({}, async (s) => {
      await s.rows('delete from auth.users where id = $1', [fixture.account.ann])
      expect(await roleOf(s, 'bea')).toBe('owner')
      expect(await attempt(s, 'bea', 'leave_workspace', { workspace: fixture.workspace })).toBe('last_owner')
      expect(await attempt(s, 'bea', 'transfer_ownership', target('cem'))).toMatchObject({ role: 'owner' })
      expect(await attempt(s, 'bea', 'leave_workspace', { workspace: fixture.workspace })).toHaveProperty(
        'workspace_id',
      )
    })
  })

  it('removal ends the channels and sessions, deactivation keeps the channels, messages keep their name', async () => {
    const state = async (s: TestTransaction, who: Name) => {
      await s.rows('reset role')
      const [row] = await s.rows(
        `select m.state, m.ended, (select count(*)::int from public.channel_members c join public.channels k
             on k.id = c.channel_id where c.profile_id = m.profile_id and k.kind in ('public', 'private')) as channels,
           (select count(*)::int from auth.sessions where user_id = $2) as sessions,
           (select name from public.profiles where id = $1) as name
         from public.workspace_members m where m.profile_id = $1`,
        [fixture.profile[who], fixture.account[who]],
      )
      return row
    }
    await withRoles({}, async (s) => {
      const { channels } = (await state(s, 'bea'))!
      expect(channels).toBeGreaterThan(1)
      await attempt(s, 'ann', 'deactivate_member', target('bea'))
      await s.rows('set constraints all immediate')
      expect(await state(s, 'bea')).toEqual({
        state: 'deactivated',
        ended: null,
        channels,
        sessions: 0,
        name: 'bea Example',
      })
      await attempt(s, 'ann', 'remove_person', target('bea'))
      expect(await state(s, 'bea')).toMatchObject({ state: 'deactivated', ended: 'removed', channels: 0 })
      expect(await attempt(s, 'ann', 'reactivate_member', target('bea'))).toBe('membership_ended')
      await s.rows('reset role')
      const actions = await s.rows<{ action: string }>(
        `select action from public.audit_log where target ->> 'profile_id' = $1 and action like 'member.%'
         order by recorded_at desc limit 2`,
        [fixture.profile.bea],
      )
      expect(actions.map((row) => row.action)).toEqual(['member.removed', 'member.deactivated'])
    })
  })

  it('a person who is in another workspace keeps their sessions', async () => {
    await withRoles({}, async (s) => {
      await s.rows(
        `insert into public.workspace_members (workspace_id, profile_id, role)
         select id, $1, 'member' from public.workspaces where id <> $2`,
        [fixture.profile.bea, fixture.workspace],
      )
      await attempt(s, 'ann', 'remove_person', target('bea'))
      await s.rows('reset role')
      await s.rows('set constraints all immediate')
      expect(
        await s.value('select count(*)::int from auth.sessions where user_id = $1', [fixture.account.bea]),
      ).toBe(1)
    })
  })

  it('reactivation restores role, channels, drafts and read markers, and no session or invitation', async () => {
    await withRoles({ bea: 'admin' }, async (s) => {
      await become(s, 'bea')
      await s.call('save_draft', { id: randomUUID(), channel: fixture.closed, body: 'Almost done' })
      const { token } = await s.call('create_invitation', {
        workspace: fixture.workspace,
        role: 'member',
        channels: [fixture.lobby],
      })
      const snapshot = async () => ({
        channels: (await reads(s)).map((row) => row.channel_id),
        rows: await s.rows('select * from public.channel_member_state order by channel_id'),
        drafts: await s.rows('select id, body from public.drafts'),
        me: (await s.call('bootstrap', {})).me?.role,
      })
      const before = await snapshot()
      expect(before).toMatchObject({ me: 'admin', drafts: [{ body: 'Almost done' }] })
      await attempt(s, 'ann', 'deactivate_member', target('bea'))
      expect(await attempt(s, 'ann', 'reactivate_member', { ...target('bea'), expires_at: 'tomorrow' })).toBe(
        'not_allowed',
      )
      await s.rows('reset role')
      await s.rows('set constraints all immediate')
      expect(await attempt(s, 'ann', 'reactivate_member', target('bea'))).toMatchObject({
        role: 'admin',
        state: 'active',
      })
      expect(await attempt(s, 'bea', 'bootstrap', {})).toBe('session_ended')
      await s.rows('reset role')
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        fixture.account.bea,
      ])
      await become(s, 'bea')
      expect(await snapshot()).toEqual(before)
      expect(await attempt(s, 'omar', 'accept_invitation', { token, person_name: 'Omar' })).toBe(
        'invitation_revoked',
      )
    })
  })

  it('a guest reads only the channels that are named, from their joining on, until their date', async () => {
    await withRoles({ bea: 'admin' }, async (s) => {
      const access = (who: Name, channels: string[], expires_at: string | null = null) =>
        attempt(s, who, 'set_guest_access', { ...target('gus'), channels, expires_at })
      const guestReads = async () => {
        await become(s, 'gus')
        return s.rows(
          'select channel_id, history_from_seq > 1 as later from app.my_readable_channels() order by 1',
        )
      }
      expect(await access('ann', [fixture.closed])).toBe('not_found')
      await access('bea', [fixture.lobby, fixture.closed], 'tomorrow')
      expect(await guestReads()).toEqual(
        [fixture.lobby, fixture.closed].toSorted().map((channel_id) => ({ channel_id, later: true })),
      )
      // Ann does not read `closed`, where he stays.
      await access('ann', [], 'tomorrow')
      expect(await guestReads()).toEqual([{ channel_id: fixture.closed, later: true }])
      expect(await access('ann', [], '2000-01-01')).toBe('bad_expiry')
      expect(await access('ann', [], 'infinity')).toBe('bad_expiry')
      await s.rows('reset role')
      await s.rows('update public.workspace_members set expires_at = now() where profile_id = $1', [
        fixture.profile.gus,
      ])
      expect(await guestReads()).toEqual([])
      expect(await access('ann', [fixture.lobby])).toBe('membership_ended')
      await attempt(s, 'ann', 'reactivate_member', { ...target('gus'), expires_at: 'tomorrow' })
      expect(await guestReads()).toHaveLength(1)
      // A date is for guests: as a member he has none.
      await attempt(s, 'ann', 'set_member_role', { ...target('gus'), role: 'member' })
      await s.rows('reset role')
      expect(
        await s.value('select expires_at from public.workspace_members where profile_id = $1', [
          fixture.profile.gus,
        ]),
      ).toBeNull()
      const refused = await s.refusal((t) =>
        t.rows(`update public.workspace_members set expires_at = 'tomorrow' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      )
      expect(refused.constraint).toBe('workspace_members_expiry_for_guests')
    })
  })

  it('does not show when former members were last there', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.heartbeats (profile_id, state, seen_at) values ($1, 'active', now()), ($2, 'active', now())
         on conflict (profile_id) do update set seen_at = excluded.seen_at`,
        [fixture.profile.bea, fixture.profile.dee],
      )
      const seen = async (who: Name) =>
        ((await attempt(s, 'ann', 'person_details', target(who))) as { seen_at: string | null }).seen_at
      expect(await seen('bea')).not.toBeNull()
      expect(await seen('dee')).toBeNull()
      await s.rows('reset role')
    })
  })

  it('erasure deletes the account and what was theirs alone, and the name is empty for clients, who display "Former member"', async () => {
    await withRoles({}, async (s) => {
      await attempt(s, 'ann', 'remove_person', target('bea'))
      expect(await attempt(s, 'ann', 'person_details', target('bea'))).toMatchObject({
        state: 'removed',
        email: 'bea@harbour.example',
        messages: expect.any(Number),
      })
      await attempt(s, 'ann', 'erase_person', target('bea'))
      expect(await attempt(s, 'ann', 'person_details', target('bea'))).toMatchObject({
        profile: { name: '' },
        email: null,
        has_account: false,
      })
      await s.rows('reset role')
      // Who is still in another workspace enters a new name.
      await s.rows(`update public.profiles set name = 'Bea' where id = $1`, [fixture.profile.bea])
      expect(await attempt(s, 'ann', 'person_details', target('bea'))).toMatchObject({
        profile: { name: 'Bea' },
      })
      await s.rows('reset role')
      expect(await s.value('select count(*)::int from auth.users where id = $1', [fixture.account.bea])).toBe(
        0,
      )
      expect(
        await s.value('select body from public.messages where id = $1', [fixture.messages.secret]),
      ).toContain('Orchids')
    })
  })

  it('lists people by name, address, role, state and second factor, page by page, for owners and admins', async () => {
    await withRoles({ bea: 'admin' }, async (s) => {
      const list = async (args: Partial<Commands['list_people']['args']>) => {
        await become(s, 'bea')
        const page = await s.call('list_people', { workspace: fixture.workspace, ...args })
        return { ...page, names: page.people.map((one) => one.profile.name.split(' ')[0]) }
      }
      const everyone = await list({})
      expect(everyone).toMatchObject({ total: 8, after: null })
      expect(everyone.names).toEqual(['Ann', 'bea', 'cem', 'dee', 'eli', 'gus', 'max', 'sid'])
      const first = await list({ limit: 3 })
      const second = await list({ limit: 3, after: first.after })
      expect([...first.names, ...second.names]).toEqual(everyone.names.slice(0, 6))
      expect(first.total).toBe(8)
      // The last person of a page no longer matches, or their name has changed: the list continues after them.
      await become(s, 'ann')
      await s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem })
      await s.rows('reset role')
      await s.rows(`update public.profiles set name = 'Zed' where id = $1`, [fixture.profile.cem])
      const rest = await list({ states: ['active'], after: first.after })
      expect(rest.names).toEqual(['eli', 'gus', 'sid'])
      await become(s, 'ann')
      await s.call('reactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem })
      expect((await list({ query: 'GUS@harbour' })).names).toEqual(['gus'])
      expect((await list({ query: '%' })).names).toEqual([])
      expect((await list({ roles: ['guest'], states: ['active'] })).names).toEqual(['gus'])
      expect((await list({ states: ['deactivated'] })).names).toEqual(['dee', 'max'])
      expect((await list({ second_factor: true })).total).toBe(0)
      expect(await attempt(s, 'cem', 'list_people', { workspace: fixture.workspace })).toBe('not_allowed')
      expect(await attempt(s, 'omar', 'list_people', { workspace: fixture.workspace })).toBe('not_found')
    })
  })

  it('lists people by name, role, date of joining and last activity in both directions, page by page', async () => {
    await withRoles({ bea: 'admin' }, async (s) => {
      const { ann, cem, gus, max, eli } = fixture.profile
      await s.rows(
        `update public.workspace_members m
         set created_at = timestamptz '2026-01-01' + ascii(lower(p.name)) * interval '1 day'
         from public.profiles p where p.id = m.profile_id`,
      )
      await s.rows(`update public.workspace_members set created_at = '2025-06-01' where profile_id = $1`, [
        gus,
      ])
      await s.rows('update auth.users set last_sign_in_at = null')
      await s.rows('delete from public.heartbeats')
      await s.rows(
        `update auth.sessions set refreshed_at = case user_id
           when $1 then now() - interval '3 days' when $2 then now() - interval '2 days' end`,
        [fixture.account.ann, fixture.account.bea],
      )
      await s.rows(
        `insert into public.heartbeats (profile_id, state, seen_at)
         select p, 'active', now() - interval '1 day' from unnest($1::uuid[]) p`,
        [[cem, eli, max]],
      )
      const list = async (sort: PersonSort, who: Name = 'bea') => {
        const names: string[] = []
        let after: string | null = null
        do {
          await become(s, who)
          const page: Commands['list_people']['response'] = await s.call('list_people', {
            workspace: fixture.workspace,
            sort,
            after,
            limit: 3,
          })
          expect(page.total).toBe(8)
          expect(page.people.length).toBeLessThanOrEqual(3)
          names.push(...page.people.map((one) => one.profile.name.toLowerCase().split(' ')[0]!))
          after = page.after
        } while (after !== null)
        return names.join(' ')
      }
      expect(await list('name')).toBe('ann bea cem dee eli gus max sid')
      expect(await list('name.desc')).toBe('sid max gus eli dee cem bea ann')
      expect(await list('role')).toBe('ann bea cem dee eli sid gus max')
      expect(await list('role.desc')).toBe('gus max cem dee eli sid bea ann')
      expect(await list('joined.asc')).toBe('gus ann bea cem dee eli max sid')
      expect(await list('joined')).toBe('sid max eli dee cem bea ann gus')
      // Max is no longer a member: when he was last there is not shown, nor does the order reveal it.
      expect(await list('seen')).toBe('cem eli bea ann dee gus max sid')
      expect(await list('seen.asc')).toBe('dee gus max sid ann bea cem eli')
      expect(await list('seen', 'ann')).toBe(await list('seen'))
      for (const [who, failure] of [
        ['gus', 'not_allowed'],
        ['cem', 'not_allowed'],
        ['omar', 'not_found'],
      ] as const)
        expect(await attempt(s, who, 'list_people', { workspace: fixture.workspace, sort: 'seen' })).toBe(
          failure,
        )
      expect(
        await attempt(s, 'bea', 'list_people', { workspace: fixture.workspace, sort: 'email' as never }),
      ).toBe('bad_filter')
      for (const after of ['', 'x', '{}', '["a","b"]', '["a","b","c"]', `["a",null,"${ann}"]`])
        expect(await attempt(s, 'bea', 'list_people', { workspace: fixture.workspace, after })).toBe(
          'bad_cursor',
        )
    })
  })

  it('lists people as a function of each person describes them', async () => {
    await fixture.service(async (s) => {
      // Max is a former member, who may still use other workspaces.
      await s.rows(
        `update auth.users set last_sign_in_at = now() - interval '1 hour' where id in ($1, $2, $3)`,
        [fixture.account.bea, fixture.account.cem, fixture.account.max],
      )
      await s.rows(
        `insert into public.heartbeats (profile_id, state, seen_at) values ($1, 'active', now() - interval '1 minute')`,
        [fixture.profile.bea],
      )
      await s.rows(`update auth.sessions set refreshed_at = now() - interval '1 second' where user_id = $1`, [
        fixture.account.gus,
      ])
      await s.rows('delete from auth.users where id = $1', [fixture.account.dee])
      const expected = await s.value(
        `select jsonb_agg(app.administered_person_as_json(m) order by lower(p.name), p.id)
         from public.workspace_members m join public.profiles p on p.id = m.profile_id and p.kind <> 'bot'
         where m.workspace_id = $1`,
        [fixture.workspace],
      )
      await become(s, 'ann')
      const { people, total } = await s.call('list_people', { workspace: fixture.workspace, limit: 100 })
      expect(people).toEqual(expected)
      expect(total).toBe(people.length)
      expect(people.find(({ profile }) => profile.id === fixture.profile.dee)).toMatchObject({
        email: null,
        has_account: false,
      })
    })
  })

  it('the options of a workspace decide who creates channels, invites, mentions everyone and deletes', async () => {
    await withRoles({}, async (s) => {
      const option = (options: Omit<Commands['set_workspace_options']['args'], 'workspace'>) =>
        attempt(s, 'ann', 'set_workspace_options', { workspace: fixture.workspace, ...options })
      const create = (who: Name) =>
        attempt(s, who, 'create_channel', {
          id: randomUUID(),
          workspace: fixture.workspace,
          kind: 'public',
          name: randomUUID(),
        })
      const invite = (who: Name, role: 'admin' | 'member') =>
        attempt(s, who, 'create_invitation', {
          workspace: fixture.workspace,
          role,
          channels: [fixture.lobby],
        })
      const send = (who: Name, body: string) =>
        attempt(s, who, 'send_message', { id: randomUUID(), channel: fixture.lobby, body })

      expect(await create('cem')).toHaveProperty('channel')
      await option({ channels_by: 'admins' })
      expect(await create('cem')).toBe('not_allowed')
      expect(await create('ann')).toHaveProperty('channel')

      expect(await invite('cem', 'member')).toBe('not_allowed')
      await option({ invitations_by: 'members' })
      expect(await invite('cem', 'member')).toHaveProperty('token')
      expect(await invite('cem', 'admin')).toBe('not_allowed')
      await become(s, 'cem')
      const { invitations } = await s.call('list_invitations', { workspace: fixture.workspace })
      expect(invitations.map((one) => one.invited_by)).toEqual([fixture.profile.cem])
      expect(await attempt(s, 'bea', 'revoke_invitation', { id: invitations[0]!.id })).toBe('not_found')
      expect(await attempt(s, 'cem', 'revoke_invitation', { id: invitations[0]!.id })).toHaveProperty('id')

      expect(await send('gus', '<!here> hello')).toHaveProperty('message')
      await option({ mention_everyone_by: 'members' })
      expect(await send('gus', '<!here> hello')).toBe('mention_everyone_not_allowed')
      expect(await send('gus', '@here hello')).toHaveProperty('message')
      expect(await send('cem', '<!channel> hello')).toHaveProperty('message')
      await option({ mention_everyone_by: 'admins' })
      expect(await send('cem', '<!channel> hello')).toBe('mention_everyone_not_allowed')
      expect(await send('ann', '<!channel> hello')).toHaveProperty('message')
      // Bea's message has mentioned the channel before.
      const edited = { id: fixture.messages.old, body: 'Roses for <!channel>', edit: randomUUID() }
      expect(await attempt(s, 'bea', 'edit_message', edited)).toHaveProperty('message')

      await s.rows('reset role')
      await s.rows(
        `update public.channel_members set role = 'admin' where channel_id = $1 and profile_id = $2`,
        [fixture.lobby, fixture.profile.eli],
      )
      const remove = (who: Name) => attempt(s, who, 'delete_message', { id: fixture.messages.old })
      await option({ deletions_by: 'admins' })
      expect(await remove('eli')).toBe('not_allowed')
      await option({ deletions_by: 'authors' })
      expect(await remove('ann')).toBe('not_allowed')
      await option({ deletions_by: 'channel_admins' })
      expect(await remove('eli')).toHaveProperty('message')
    })
  })

  it('earlier texts are for the author, unless the workspace shows them to admins or members who can read them', async () => {
    await withRoles({}, async (s) => {
      const seen = async (who: Name) => {
        await become(s, who)
        const rows = await s.rows<{ message_id: string }>('select message_id from public.message_revisions')
        return new Set(rows.map((row) => row.message_id))
      }
      const { old, secret } = fixture.messages
      expect(await seen('bea')).toEqual(new Set([old, secret]))
      for (const [option, ann, cem] of [
        ['authors', [], []],
        ['admins', [old], []],
        ['members', [old], [old, secret]],
      ] as const) {
        await attempt(s, 'ann', 'set_workspace_options', {
          workspace: fixture.workspace,
          edit_history_by: option,
        })
        expect(await seen('ann'), option).toEqual(new Set(ann))
        expect(await seen('cem'), option).toEqual(new Set(cem))
        for (const who of ['gus', 'omar', 'zoe'] as const) expect(await seen(who), who).toEqual(new Set())
      }
    })
  })

  /** Two commands at once, each in a transaction of its own, of which the second waits for the first; rolled back. */
  const race = async (
    roles: Partial<Record<Name, WorkspaceRole>>,
    commands: { who: Name; run: (s: TestTransaction) => Promise<unknown> }[],
  ): Promise<string[]> => {
    await fixture.service(async (s) => {
      for (const [who, role] of Object.entries(roles)) {
        await s.rows('update public.workspace_members set role = $2 where profile_id = $1', [
          fixture.profile[who as Name],
          role,
        ])
      }
    }, true)
    const clients = commands.map(() => new Client(fixture.database.config('postgres')))
    try {
      await Promise.all(clients.map((client) => client.connect()))
      return await Promise.all(
        commands.map(async ({ who, run }, i) => {
          const client = clients[i]!
          await client.query('begin')
          await impersonate(client, fixture.account[who])
          try {
            await run(transactionOn(client))
            await client.query('commit')
            return 'yes'
          } catch (error) {
            await client.query('rollback')
            return (error as Error).message
          }
        }),
      )
    } finally {
      await Promise.all(clients.map((client) => client.end()))
      await fixture.service(async (s) => {
        for (const who of ['bea', 'cem', 'eli'] as const) {
          await s.rows(
            `update public.workspace_members set role = 'member', state = 'active' where profile_id = $1`,
            [fixture.profile[who]],
          )
          await s.rows(
            'insert into auth.sessions (id, user_id, created_at) values ($1, $1, now()) on conflict do nothing',
            [fixture.account[who]],
          )
        }
        await s.rows(
          `update public.workspace_members set role = 'owner', state = 'active' where profile_id = $1`,
          [fixture.profile.ann],
        )
        await s.rows(
          'insert into auth.sessions (id, user_id, created_at) values ($1, $1, now()) on conflict do nothing',
          [fixture.account.ann],
        )
      }, true)
    }
  }

  it('of two owners who leave or step down at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const outcomes = await race({ bea: 'owner' }, [
        { who: 'ann', run: (s) => s.call('leave_workspace', { workspace: fixture.workspace }) },
        { who: 'bea', run: (s) => s.call('set_member_role', { ...target('bea'), role: 'member' }) },
      ])
      expect(outcomes.toSorted()).toEqual(['last_owner', 'yes'])
    }
  })

  it('admins cannot demote each other, and a demoted admin acts on nobody', async () => {
    const outcomes = await race({ bea: 'admin', eli: 'admin' }, [
      { who: 'bea', run: (s) => s.call('set_member_role', { ...target('eli'), role: 'member' }) },
      { who: 'eli', run: (s) => s.call('set_member_role', { ...target('bea'), role: 'member' }) },
    ])
    expect(outcomes).toEqual(['not_allowed', 'not_allowed'])
    for (let round = 0; round < 5; round += 1) {
      const [demotion, action] = await race({ bea: 'admin' }, [
        {
          who: 'ann',
          run: async (s) => {
            await s.call('set_member_role', { ...target('bea'), role: 'member' })
          },
        },
        { who: 'bea', run: (s) => s.call('set_member_role', { ...target('cem'), role: 'guest' }) },
      ])
      expect(demotion).toBe('yes')
      // Before the demotion or not at all.
      expect(['yes', 'not_allowed']).toContain(action)
    }
  })

  it('a workspace is deleted with everything in it after the waiting period, unless an owner cancels', async () => {
    const { workspace } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.failure('schedule_workspace_deletion', { workspace, name: 'Elsewhere' })).toBe(
        'other_workspace_name',
      )
      const scheduled = await s.call('schedule_workspace_deletion', { workspace, name: ' Harbour Street ' })
      const days = (Date.parse(scheduled.deletes_at!) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(13.9)
      // A repeated call does not postpone it.
      const again = await s.call('schedule_workspace_deletion', { workspace, name: 'Harbour Street' })
      expect(again.deletes_at).toBe(scheduled.deletes_at)
      expect((await s.call('bootstrap', {})).workspace?.deletes_at).toBe(scheduled.deletes_at)
      expect(await s.call('cancel_workspace_deletion', { workspace })).not.toHaveProperty('deletes_at')
    })
    const count = (table: string) =>
      fixture.service((s) => s.value<number>(`select count(*)::int from public.${table}`))
    const run = async () => {
      const client = new Client(fixture.database.config('postgres'))
      await client.connect()
      try {
        await client.query('call app.delete_due_workspaces()')
      } finally {
        await client.end()
      }
    }
    await fixture.committedAs('ann', (s) =>
      s.call('schedule_workspace_deletion', { workspace, name: 'Harbour Street' }),
    )
    await run()
    expect(await count('messages')).toBeGreaterThan(0)
    await fixture.service(
      (s) => s.rows('update public.workspaces set deletes_at = now() where id = $1', [workspace]),
      true,
    )
    await run()
    await run()
    expect(await count('messages')).toBe(0)
    // Zoe's stays; the accounts of the others too.
    expect(await count('workspaces')).toBe(1)
    expect(await count('profiles')).toBe(1)
    expect(
      await fixture.service((s) =>
        s.value('select count(*)::int from auth.users where id = $1', [fixture.account.bea]),
      ),
    ).toBe(1)
  })
})
