import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Why and when sessions and memberships ended, and who learns it. */
describe.each(testDatabases)('ended access on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  /** Continues the transaction as this person, as postgres, or without a token. */
  const become = async (s: TestTransaction, who: Name | 'postgres' | 'anon') => {
    await s.rows('reset role')
    if (who === 'postgres') return
    const account = who === 'anon' ? null : fixture.account[who]
    await s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(
        account ? { role: 'authenticated', sub: account, session_id: account } : { role: 'anon' },
      ),
      account ? 'authenticated' : 'anon',
    ])
  }
  const endOf = async (s: TestTransaction, session: string) => {
    // The sessions of former members end with the transaction.
    await s.rows('set constraints all immediate')
    await become(s, 'anon')
    const ended = await s.call('ended_session', { session })
    return ended && [ended.reason, ended.workspace_name]
  }
  const workspaceName = (s: TestTransaction) =>
    s.value<string>('select name from public.workspaces where id = $1', [fixture.workspace])

  it('returns to a page without a token why its session ended: another device, a password, a deleted account', () =>
    fixture.service(async (s) => {
      const { bea } = fixture.account
      const other = randomUUID()
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())', [other, bea])
      expect(await endOf(s, other)).toEqual(['timed_out', null])
      await become(s, 'bea')
      await s.call('end_session', { id: other })
      expect(await endOf(s, other)).toEqual(['ended_elsewhere', null])

      await become(s, 'postgres')
      await s.rows(`update auth.users set encrypted_password = 'x' where id = $1`, [bea])
      await s.rows('delete from auth.sessions where user_id = $1', [bea])
      expect(await endOf(s, bea)).toEqual(['password_changed', null])

      await become(s, 'postgres')
      await s.rows('delete from auth.users where id = $1', [fixture.account.gus])
      expect(await endOf(s, fixture.account.gus)).toEqual(['account_deleted', null])
      expect(await endOf(s, randomUUID())).toBeNull()
    }))

  it('knows no reason for an end by the auth service', () =>
    fixture.service(async (s) => {
      await s.rows('delete from auth.sessions where user_id = $1', [fixture.account.bea])
      expect(await endOf(s, fixture.account.bea)).toEqual(['signed_out', null])
    }))

  it.each([
    ['bea', 'left'],
    ['bea', 'removed'],
    ['bea', 'deactivated'],
    ['gus', 'expired'],
  ] as const)('names the workspace to %s, whose only membership ended: %s', (who, reason) =>
    fixture.service(async (s) => {
      const name = await workspaceName(s)
      const person = fixture.profile[who]
      const { workspace } = fixture
      if (reason === 'expired') {
        await s.rows(
          `update public.workspace_members set expires_at = now() - interval '1 hour' where profile_id = $1`,
          [person],
        )
        for (let i = 0; i < 3; i += 1) await s.rows('select app.end_expired_memberships()')
      } else {
        await become(s, reason === 'left' ? who : 'ann')
        if (reason === 'left') await s.call('leave_workspace', { workspace })
        if (reason === 'removed') await s.call('remove_person', { workspace, person })
        if (reason === 'deactivated') await s.call('deactivate_member', { workspace, person })
      }
      expect(await endOf(s, fixture.account[who])).toEqual([reason, name])
    }),
  )

  it('lists an expired workspace already before the job of the next minute ends the membership', () =>
    fixture.service(async (s) => {
      const name = await workspaceName(s)
      await s.rows(
        `update public.workspace_members set expires_at = now() - interval '1 second' where profile_id = $1`,
        [fixture.profile.gus],
      )
      await become(s, 'gus')
      expect(await s.call('my_ended_memberships', {})).toMatchObject([
        { workspace_id: fixture.workspace, workspace_name: name, reason: 'expired' },
      ])
    }))

  it('lists a former workspace under its former name to the person alone, until they are back', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const person = fixture.profile.bea
      const name = await workspaceName(s)
      await become(s, 'ann')
      await s.call('deactivate_member', { workspace, person })
      await s.call('remove_person', { workspace, person })
      await s.rows('set constraints all immediate')
      await s.call('rename_workspace', { workspace, name: 'Secret plans' })
      expect(await s.call('my_ended_memberships', {})).toEqual([])
      await become(s, 'postgres')
      // Bea signs in again.
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        fixture.account.bea,
      ])
      await become(s, 'bea')
      expect(await s.call('my_ended_memberships', {})).toMatchObject([
        { workspace_id: workspace, workspace_name: name, reason: 'removed' },
      ])
      await become(s, 'postgres')
      await s.rows(`update public.workspace_members set state = 'active' where profile_id = $1`, [person])
      await become(s, 'bea')
      expect(await s.call('my_ended_memberships', {})).toEqual([])
    }))

  it('lists a deleted workspace, also when nothing else of it is left', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const name = await workspaceName(s)
      await s.rows('select app.record_deleted_workspace($1)', [workspace])
      await s.rows('update public.profiles set user_id = null where id = $1', [fixture.profile.cem])
      await become(s, 'bea')
      expect(await s.call('my_ended_memberships', {})).toMatchObject([
        { workspace_id: workspace, workspace_name: name, reason: 'workspace_deleted' },
      ])
      await become(s, 'omar')
      expect(await s.call('my_ended_memberships', {})).toEqual([])
      await become(s, 'anon')
      expect((await s.refusal((t) => t.call('my_ended_memberships', {}))).code).toBe('42501')
    }))
})
