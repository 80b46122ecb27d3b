import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** What owners and admins can change of the account of a person. */
describe.each(testDatabases)('accounts of people on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = async (s: TestTransaction, who: Name | 'postgres') => {
    await s.rows('reset role')
    if (who === 'postgres') return
    const account = fixture.account[who]
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify({ role: 'authenticated', sub: account, session_id: account })],
    )
  }
  const setRole = (s: TestTransaction, who: Name, role: string) =>
    s.rows('update public.workspace_members set role = $2 where profile_id = $1', [
      fixture.profile[who],
      role,
    ])
  const actionsOf = (s: TestTransaction, who: Name) =>
    s.rows(
      `select action, actor_id, target from public.audit_log where target ->> 'profile_id' = $1 and action like 'member.signed%'
       and recorded_at > now() order by recorded_at`,
      [fixture.profile[who]],
    )

  it('an admin ends all sessions of a member, who learns it and can sign in again; not those of an owner or admin', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      await setRole(s, 'cem', 'admin')
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())', [
        randomUUID(),
        fixture.account.bea,
      ])
      await become(s, 'cem')
      expect(await s.failure('sign_out_person', { workspace, person: fixture.profile.ann })).toBe(
        'not_allowed',
      )
      expect(await s.failure('sign_out_person', { workspace, person: fixture.profile.zoe })).toBe('not_found')
      await s.call('sign_out_person', { workspace, person: fixture.profile.bea })
      await become(s, 'postgres')
      expect(
        await s.rows('select reason, workspace_name from public.ended_sessions where session_id = $1', [
          fixture.account.bea,
        ]),
      ).toEqual([{ reason: 'ended_by_admin', workspace_name: null }])
      expect(
        await s.rows('select from auth.sessions where user_id = $1', [fixture.account.bea]),
      ).toHaveLength(0)
      expect(await actionsOf(s, 'bea')).toEqual([
        {
          action: 'member.signed_out',
          actor_id: fixture.profile.cem,
          target: { profile_id: fixture.profile.bea },
        },
      ])
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        fixture.account.bea,
      ])
      await become(s, 'bea')
      expect((await s.call('bootstrap', {})).workspace?.id).toBe(workspace)
    }))

  /** Creates an account that nobody has used, as a program does with the service key. */
  const addUnusedMember = async (s: TestTransaction) => {
    const account = randomUUID()
    await s.rows(
      `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', 'wrong@harbour.example', now(), now(), now())`,
      [account],
    )
    await s.rows(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
       values ($1::uuid::text, $1::uuid, jsonb_build_object('sub', $1::uuid, 'email', 'wrong@harbour.example'), 'email', now(), now())`,
      [account],
    )
    const person = await s.value<string>(
      `insert into public.profiles (user_id, name) values ($1, 'Nia') returning id`,
      [account],
    )
    await s.rows(
      `insert into public.workspace_members (workspace_id, profile_id, role) values ($1, $2, 'member')`,
      [fixture.workspace, person],
    )
    return { account, person }
  }

  it('an admin corrects the address of an account that nobody has used; the person still has to confirm it', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const { account, person } = await addUnusedMember(s)
      const taken = await s.value<string>('select email from auth.users where id = $1', [fixture.account.bea])
      await become(s, 'ann')
      expect(await s.failure('correct_address', { workspace, person, email: 'nobody' })).toBe(
        'email_address_invalid',
      )
      expect(await s.failure('correct_address', { workspace, person, email: taken })).toBe('address_taken')
      const changed = await s.call('correct_address', { workspace, person, email: ' Right@Harbour.example ' })
      expect(changed.email).toBe('right@harbour.example')
      await become(s, 'postgres')
      expect(
        await s.rows(
          `select u.email, u.email_confirmed_at, i.identity_data ->> 'email' as named from auth.users u
           join auth.identities i on i.user_id = u.id where u.id = $1`,
          [account],
        ),
      ).toEqual([
        { email: 'right@harbour.example', email_confirmed_at: null, named: 'right@harbour.example' },
      ])
      // Neither address is in the audit log, which is never deleted.
      expect(
        await s.value(
          `select string_agg(target::text, ' ') from public.audit_log where action = 'member.address_corrected'`,
        ),
      ).toBe(JSON.stringify({ profile_id: person }).replace(':', ': '))
    }))

  it.each([
    ['somebody has signed in', 'update auth.users set last_sign_in_at = now() where id = $1'],
    [
      'it has a session',
      'insert into auth.sessions (id, user_id, created_at) values (gen_random_uuid(), $1, now())',
    ],
    [
      'it has a second factor',
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    ],
    [
      'it belongs to another workspace too',
      `insert into public.workspace_members (workspace_id, profile_id, role)
       select w.id, p.id, 'owner' from public.workspaces w, public.profiles p
       where p.user_id = $1 and w.id not in (select m.workspace_id from public.workspace_members m where m.profile_id = p.id)
       limit 1`,
    ],
  ])('an owner cannot take an account over once %s', (_, sql) =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const { account, person } = await addUnusedMember(s)
      await s.rows(sql, [account])
      await become(s, 'ann')
      expect(await s.failure('correct_address', { workspace, person, email: 'mine@elsewhere.example' })).toBe(
        'account_in_use',
      )
    }),
  )

  it('an owner cannot read by an unused account what others have written to it, or what it can read alone', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const { person } = await addUnusedMember(s)
      const correct = { workspace, person, email: 'mine@elsewhere.example' }
      for (const open of [
        async () => {
          await become(s, 'bea')
          const { channel } = await s.call('open_direct', { workspace, people: [person] })
          await s.call('send_message', { id: randomUUID(), channel: channel.id, body: 'Only for you' })
        },
        async () => {
          await become(s, 'bea')
          await s.call('add_members', { channel: fixture.closed, people: [person] })
        },
      ]) {
        await become(s, 'postgres')
        await s.rows('savepoint before')
        await open()
        await become(s, 'ann')
        expect(await s.failure('correct_address', correct)).toBe('account_in_use')
        await s.rows('rollback to savepoint before')
      }
      await become(s, 'ann')
      await s.call('open_direct', { workspace, people: [person] })
      expect((await s.call('correct_address', correct)).email).toBe('mine@elsewhere.example')
    }))

  it('an admin changes neither the address of an owner nor of another admin', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const { person } = await addUnusedMember(s)
      await setRole(s, 'cem', 'admin')
      for (const role of ['admin', 'owner']) {
        await become(s, 'postgres')
        await s.rows('update public.workspace_members set role = $2 where profile_id = $1', [person, role])
        await become(s, 'cem')
        expect(
          await s.failure('correct_address', { workspace, person, email: 'mine@elsewhere.example' }),
        ).toBe('not_allowed')
      }
    }))
})
