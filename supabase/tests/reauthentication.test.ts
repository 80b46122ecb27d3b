import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName } from '../../wire/commands.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Paths of commands that need a recent authentication, and of commands of every day. */
const dangerous: CommandName[] = [
  'schedule_workspace_deletion',
  'set_workspace_options',
  'set_second_factor_requirement',
  'set_web_channels',
  'set_guest_links',
  'set_joining_domain',
  'set_joining_options',
  'set_retention',
  'undo_import',
  'claim_imported_person',
  'set_member_role',
  'transfer_ownership',
  'deactivate_member',
  'reactivate_member',
  'remove_person',
  'erase_person',
  'sign_out_person',
  'correct_address',
  'delete_channel',
  'publish_channel',
  'create_bot',
  'create_bot_token',
  'end_bot',
  'create_incoming_webhook',
  'renew_incoming_webhook',
  'update_incoming_webhook',
  'create_outgoing_webhook',
  'renew_outgoing_webhook',
  'create_bot_command',
  'update_bot_command',
  'renew_command_secret',
  'end_integrations',
  'approve_device',
]
const daily: CommandName[] = [
  'send_message',
  'remove_message',
  'silence_member',
  'create_invitation',
  'approve_join_request',
]

/** Seconds since a session has authenticated by each method. */
type Ages = Record<string, number>
const minutes = (n: number) => n * 60

/** Workspaces whose owners and admins authenticate again before dangerous commands. */
describe.each(testDatabases)('the requirement of a recent authentication on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const inTransaction = (work: (s: TestTransaction) => Promise<void>) => fixture.service(work)
  /** Continues the transaction as this person, whose session has authenticated so long ago. */
  const become = async (s: TestTransaction, who: Name | 'postgres', ages: Ages | null = {}, aal = 'aal1') => {
    await s.rows('reset role')
    if (who === 'postgres') return
    const account = fixture.account[who]
    await s.rows('update auth.sessions set aal = $2 where id = $1', [account, aal])
    const amr = Object.entries(ages ?? {}).map(([method, age]) => ({
      method,
      timestamp: Math.floor(Date.now() / 1000) - age,
    }))
    const claims = { role: 'authenticated', sub: account, session_id: account, aal, ...(ages && { amr }) }
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify(claims)],
    )
  }
  /** What the data API answers before it calls a command. */
  const check = async (s: TestTransaction, command: string): Promise<string> => {
    await s.rows(`select set_config('request.path', $1, true)`, [`/rpc/${command}`])
    await s.rows('savepoint before')
    try {
      await s.rows('select app.check_request()')
      return 'passed'
    } catch (error) {
      return (error as Error).message
    } finally {
      await s.rows('rollback to savepoint before')
    }
  }
  const turn = async (s: TestTransaction, on: boolean) => {
    await become(s, 'ann', { password: 5 })
    return s.call('set_reauthentication', { workspace: fixture.workspace, on })
  }

  it('refuses dangerous commands of owners whose session authenticated over 15 minutes ago, and no others', () =>
    inTransaction(async (s) => {
      await become(s, 'ann', { password: minutes(16) })
      for (const command of [...dangerous, ...daily])
        expect([command, await check(s, command)]).toEqual([command, 'passed'])
      expect(await turn(s, true)).toMatchObject({ reauthentication: true })
      await become(s, 'ann', { password: minutes(16) })
      for (const command of dangerous)
        expect([command, await check(s, command)]).toEqual([command, 'reauthentication_required'])
      for (const command of daily) expect([command, await check(s, command)]).toEqual([command, 'passed'])
      await become(s, 'ann', { password: minutes(14) })
      for (const command of dangerous) expect([command, await check(s, command)]).toEqual([command, 'passed'])
      await turn(s, false)
      await become(s, 'ann', { password: minutes(16) })
      for (const command of dangerous) expect([command, await check(s, command)]).toEqual([command, 'passed'])
    }))

  it('accepts any method of signing in, and no refresh, anonymous sign-in or token without times', () =>
    inTransaction(async (s) => {
      await turn(s, true)
      const day = minutes(24 * 60)
      for (const [ages, result] of [
        [{ otp: 10 }, 'passed'],
        [{ passkey: 10 }, 'passed'],
        [{ password: day, oauth: 10 }, 'passed'],
        [{ password: day, token_refresh: 10 }, 'reauthentication_required'],
        [{ anonymous: 10 }, 'reauthentication_required'],
        [{}, 'reauthentication_required'],
        [null, 'reauthentication_required'],
      ] as const) {
        await become(s, 'ann', ages)
        expect([ages, await check(s, 'delete_channel')]).toEqual([ages, result])
      }
      // RFC 8176: only the names of the methods.
      await s.rows(`select set_config('request.jwt.claims', $1, true)`, [
        JSON.stringify({
          role: 'authenticated',
          sub: fixture.account.ann,
          session_id: fixture.account.ann,
          amr: ['pwd'],
        }),
      ])
      expect(await check(s, 'delete_channel')).toBe('reauthentication_required')
    }))

  it('accepts a second factor that is older than the session, and none that was added during it', () =>
    inTransaction(async (s) => {
      await turn(s, true)
      await become(s, 'postgres')
      const factor = await s.value<string>(
        `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
         values (gen_random_uuid(), $1, 'totp', 'verified', now(), now()) returning id`,
        [fixture.account.ann],
      )
      await s.rows(
        `update auth.sessions set factor_id = $2, created_at = now() - interval '2 days' where id = $1`,
        [fixture.account.ann, factor],
      )
      const verified = { otp: minutes(48 * 60), totp: 5 }
      await become(s, 'ann', verified, 'aal2')
      expect(await check(s, 'delete_channel')).toBe('reauthentication_required')
      await become(s, 'postgres')
      await s.rows(`update auth.mfa_factors set created_at = now() - interval '3 days' where id = $1`, [
        factor,
      ])
      await become(s, 'ann', verified, 'aal2')
      expect(await check(s, 'delete_channel')).toBe('passed')
      await become(s, 'ann', { otp: minutes(48 * 60), totp: minutes(20) }, 'aal2')
      expect(await check(s, 'delete_channel')).toBe('reauthentication_required')
    }))

  it('does not concern members, guests, people of other workspaces and the server itself', () =>
    inTransaction(async (s) => {
      await turn(s, true)
      for (const who of ['bea', 'gus', 'omar', 'zoe'] as const) {
        await become(s, who, { otp: minutes(60) })
        for (const command of ['delete_channel', 'publish_channel', 'approve_device'])
          expect([who, command, await check(s, command)]).toEqual([who, command, 'passed'])
      }
      await become(s, 'postgres')
      await s.rows(`select set_config('request.jwt.claims', '{"role": "service_role"}', true)`)
      expect(await check(s, 'delete_channel')).toBe('passed')
    }))

  it('concerns admins from the moment at which they become one', () =>
    inTransaction(async (s) => {
      await turn(s, true)
      await become(s, 'bea', { otp: minutes(60) })
      expect(await check(s, 'remove_person')).toBe('passed')
      await become(s, 'ann', { otp: 10 })
      await s.call('set_member_role', {
        workspace: fixture.workspace,
        person: fixture.profile.bea,
        role: 'admin',
      })
      await become(s, 'bea', { otp: minutes(60) })
      expect(await check(s, 'remove_person')).toBe('reauthentication_required')
    }))

  it('is set and ended by owners who have authenticated recently, and is recorded', () =>
    inTransaction(async (s) => {
      const { workspace } = fixture
      for (const on of [true, false]) {
        for (const [who, failure] of [
          ['bea', 'not_allowed'],
          ['gus', 'not_allowed'],
          ['omar', 'not_found'],
          ['zoe', 'not_found'],
        ] as const) {
          await become(s, who, { otp: 5 })
          expect([who, await s.failure('set_reauthentication', { workspace, on })]).toEqual([who, failure])
        }
        await become(s, 'ann', { otp: minutes(16) })
        expect(await s.failure('set_reauthentication', { workspace, on })).toBe('reauthentication_required')
        await become(s, 'ann', { otp: 5 })
        expect(await s.failure('set_reauthentication', { workspace, on: null as never })).toBe('bad_state')
        expect((await turn(s, on)).reauthentication).toBe(on ? true : undefined)
      }
      await become(s, 'postgres')
      const recorded = await s.rows(
        `select actor_id, target from public.audit_log
         where action = 'workspace.options_changed' and target ? 'reauthentication' order by recorded_at`,
      )
      expect(recorded).toEqual([
        { actor_id: fixture.profile.ann, target: { reauthentication: { from: false, to: true } } },
        { actor_id: fixture.profile.ann, target: { reauthentication: { from: true, to: false } } },
      ])
    }))

  it('concerns changes of the server’s settings, and not their display', () =>
    inTransaction(async (s) => {
      const { workspace } = fixture
      await turn(s, true)
      await become(s, 'ann', { otp: minutes(16) })
      expect(await s.call('check_server_owner', { workspace })).toMatchObject({
        profile_id: fixture.profile.ann,
      })
      expect(await s.failure('check_server_owner', { workspace, changes: true })).toBe(
        'reauthentication_required',
      )
      await become(s, 'ann', { otp: 5 })
      expect(await s.call('check_server_owner', { workspace, changes: true })).toMatchObject({
        profile_id: fixture.profile.ann,
      })
    }))

  it('concerns the start of an export, a download and an import, and not their display', () =>
    inTransaction(async (s) => {
      const { workspace } = fixture
      await turn(s, true)
      await become(s, 'ann', { otp: minutes(16) })
      expect(await s.call('check_moving', { workspace })).toMatchObject({ profile_id: fixture.profile.ann })
      for (const starts of ['export', 'download', 'import'] as const)
        expect(await s.failure('check_moving', { workspace, starts })).toBe('reauthentication_required')
      await become(s, 'ann', { otp: 5 })
      expect(await s.call('check_moving', { workspace, starts: 'export' })).toMatchObject({
        profile_id: fixture.profile.ann,
      })
    }))
})
