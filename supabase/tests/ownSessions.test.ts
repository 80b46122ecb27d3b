/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName, Commands } from '../../wire/commands.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type TestTransaction, type Fixture } from './support/fixture.ts'

/** Where one is signed in, and the second factor that a session must have shown. */
describe.each(testDatabases)('sessions on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  /** Bea's transaction, after `given` was done as postgres; claims beside those that she always has. */
  const asBea = <T>(given: string[], claims: object, work: (s: TestTransaction) => Promise<T>): Promise<T> =>
    fixture.service(async (s) => {
      for (const sql of given) await s.rows(sql, [fixture.account.bea])
      const whole = {
        role: 'authenticated',
        sub: fixture.account.bea,
        session_id: fixture.account.bea,
        ...claims,
      }
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify(whole)],
      )
      return work(s)
    })
  const factor = (status: string): string =>
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', '${status}', now(), now())`
  const raised = `update auth.sessions set aal = 'aal2' where id = $1`

  /** What Bea's session sees of everything that policies guard, and how some commands of each kind answer. */
  const sight = async (s: TestTransaction): Promise<{ rows: number; answers: Set<string> }> => {
    let rows = 0
    const tables = await s.rows<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and has_any_column_privilege(c.oid, 'select')
       union all select unnest(array['storage.objects', 'realtime.messages'])`,
    )
    for (const { name } of tables) {
      // A constant asks for no column, and row security all the same.
      rows += (await s.rows(`select 1 from ${name}`)).length
    }
    const argsByCommand: { [N in CommandName]?: Commands[N]['args'] } = {
      bootstrap: {},
      heartbeat: { workspace: fixture.workspace, state: 'active' },
      channel_page: { channel: fixture.lobby },
      send_message: { id: randomUUID(), channel: fixture.lobby, body: 'x' },
      search_messages: { workspace: fixture.workspace, query: 'x' },
      found_workspace: { token: 'x', workspace_name: 'x', channel_name: 'x', person_name: 'x' },
      accept_invitation: { token: 'x', person_name: 'x' },
      thread_inbox: { workspace: fixture.workspace },
      list_files: { workspace: fixture.workspace },
      my_sessions: {},
      end_session: { id: fixture.account.bea },
    }
    const answers = new Set<string>()
    for (const [name, args] of Object.entries(argsByCommand) as [CommandName, never][]) {
      answers.add(await s.failure(name, args).catch(() => 'answered'))
    }
    return { rows, answers }
  }
  const nothing = { rows: 0, answers: new Set(['second_factor_missing']) }

  it('shows everything without a second factor or after its verification, and nothing before', async () => {
    const plain = await asBea([], {}, sight)
    expect(plain.rows).toBeGreaterThan(50)
    expect(plain.answers).toEqual(new Set(['answered', 'already_founded', 'invitation_invalid']))
    expect(await asBea([factor('unverified')], {}, sight), 'not yet verified').toEqual(plain)

    const verified = factor('verified')
    expect(await asBea([verified], {}, sight), 'nothing shown').toEqual(nothing)
    expect(await asBea([verified], { aal: 'aal1' }, sight), 'first factor').toEqual(nothing)
    expect(await asBea([verified, raised], { aal: 'aal1' }, sight), 'token from before').toEqual(nothing)
    expect(await asBea([verified], { aal: 'aal2' }, sight), 'factor gone from the session').toEqual(nothing)
    expect(await asBea([verified, raised], { aal: ['aal2'] }, sight), 'no such claim').toEqual(nothing)
    const { rows, answers } = await asBea([verified, raised], { aal: 'aal2' }, sight)
    expect({ rows, answers }, 'both shown').toEqual(plain)
  })

  it('an OAuth client cannot list or end sessions', async () => {
    const clients = [
      `insert into auth.oauth_clients (id, client_type, registration_type, redirect_uris, grant_types,
         token_endpoint_auth_method)
       values ($1, 'public', 'manual', 'https://app.example/', 'authorization_code', 'none')`,
      'update auth.sessions set oauth_client_id = $1 where id = $1',
    ]
    const both = async (s: TestTransaction): Promise<string[]> => [
      await s.failure('my_sessions', {}).catch(() => 'answered'),
      await s.failure('end_session', { id: fixture.account.bea }).catch(() => 'answered'),
    ]
    expect(await asBea([], {}, both)).toEqual(['answered', 'answered'])
    expect(await asBea(clients, {}, both)).toEqual(['not_allowed', 'not_allowed'])
  })

  it('stores in the profile whether there is a factor, in whatever order both were created', async () => {
    await fixture.service(async (s) => {
      const flags = async (): Promise<boolean[]> =>
        (
          await s.rows<{ flag: boolean }>(
            `select second_factor as flag from public.profiles where user_id = any ($1) order by user_id = $2`,
            [[fixture.account.bea, fixture.account.omar], fixture.account.omar],
          )
        ).map(({ flag }) => flag)
      await s.rows(factor('unverified'), [fixture.account.bea])
      await s.rows(factor('unverified'), [fixture.account.bea])
      expect(await flags()).toEqual([false])
      await s.rows(`update auth.mfa_factors set status = 'verified' where user_id = $1`, [
        fixture.account.bea,
      ])
      await s.rows(factor('verified'), [fixture.account.omar])
      await s.rows(`insert into public.profiles (user_id, name) values ($1, 'Omar')`, [fixture.account.omar])
      expect(await flags()).toEqual([true, true])
      await s.rows(
        `delete from auth.mfa_factors where id = (select id from auth.mfa_factors where user_id = $1 limit 1)`,
        [fixture.account.bea],
      )
      expect(await flags()).toEqual([true, true])
      await s.rows(`update auth.mfa_factors set user_id = $2 where user_id = $1`, [
        fixture.account.bea,
        fixture.account.zoe,
      ])
      await s.rows('delete from auth.mfa_factors where user_id = $1', [fixture.account.omar])
      expect(await flags()).toEqual([false, false])
      expect(
        await s.value('select second_factor from public.profiles where user_id = $1', [fixture.account.zoe]),
      ).toBe(true)
    })
  })

  it('returns 403 to a session without its second factor', async () => {
    const refused = await asBea([factor('verified')], {}, (s) => s.refusal((t) => t.call('bootstrap', {})))
    expect(refused.code).toBe('PT403')
    // A missing session is reported before a missing factor.
    const ended = { session_id: fixture.account.ann }
    expect(await asBea([factor('verified')], ended, (s) => s.failure('bootstrap', {}))).toBe('session_ended')
  })

  const second = `insert into auth.sessions (id, user_id, created_at, refreshed_at, user_agent, ip, aal)
    values (gen_random_uuid(), $1, now() - interval '1 hour', now() at time zone 'UTC' + interval '1 minute',
      'A browser', '192.0.2.7/32', 'aal2')`
  const over = `insert into auth.sessions (id, user_id, created_at, not_after)
    values (gen_random_uuid(), $1, now(), now() - interval '1 second')`

  it('lists the sessions of the caller, this one first', async () => {
    const list = await asBea([second, over], {}, (s) => s.call('my_sessions', {}))
    expect(list).toEqual([
      {
        id: fixture.account.bea,
        created_at: expect.any(String),
        refreshed_at: null,
        user_agent: null,
        ip: null,
        aal: 'aal1',
        current: true,
      },
      expect.objectContaining({ user_agent: 'A browser', ip: '192.0.2.7', aal: 'aal2', current: false }),
    ])
    const { refreshed_at, created_at } = list[1]!
    expect(Date.parse(refreshed_at!) - Date.parse(created_at)).toBe(61 * 60_000)
    // One that has no place in any workspace is signed in all the same.
    expect(await fixture.rolledBackAs('omar', (s) => s.call('my_sessions', {}))).toHaveLength(1)
    expect(await fixture.rolledBackAs('sid', (s) => s.failure('my_sessions', {}))).toBe('session_ended')
  })

  it('lists no more than a hundred, and this one among them however old', async () => {
    const many = `insert into auth.sessions (id, user_id, created_at)
      select gen_random_uuid(), $1, now() + i * interval '1 second' from generate_series(1, 150) i`
    const list = await asBea([many], {}, (s) => s.call('my_sessions', {}))
    expect(list).toHaveLength(100)
    expect(list[0]!.current).toBe(true)
  })

  it('ends one of one’s own, with its tokens, and nobody else’s', async () => {
    const token = `insert into auth.refresh_tokens (token, user_id, session_id, revoked)
      select 'abcdefabcdef', user_id::text, id, false from auth.sessions where user_id = $1 and user_agent = 'A browser'`
    await asBea([second, token], {}, async (s) => {
      const [, other] = await s.call('my_sessions', {})
      for (const id of [fixture.account.ann, randomUUID(), null as never]) {
        expect(await s.failure('end_session', { id }), id).toBe('not_found')
      }
      expect(await s.call('end_session', { id: other!.id })).toEqual({ id: other!.id })
      expect(await s.failure('end_session', { id: other!.id })).toBe('not_found')
      expect(await s.call('my_sessions', {})).toHaveLength(1)
      await s.rows('reset role')
      expect(
        await s.value(`select count(*)::int from auth.refresh_tokens where token = 'abcdefabcdef'`),
      ).toBe(0)
      expect(
        await s.value('select count(*)::int from auth.sessions where id = $1', [fixture.account.ann]),
      ).toBe(1)
    })
    await asBea([], {}, async (s) => {
      await s.call('end_session', { id: fixture.account.bea })
      expect(await s.failure('my_sessions', {})).toBe('session_ended')
    })
  })
})
