import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import {
  openFixture,
  transactionOn,
  type Name,
  type TestTransaction,
  type Fixture,
} from './support/fixture.ts'

/** Workspaces keep an owner and channels an admin when the last one loses the account. */
describe.each(testDatabases)('succession on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const deleteAccount = (s: TestTransaction, who: Name) =>
    s.rows('delete from auth.users where id = $1', [fixture.account[who]])
  const ban = (s: TestTransaction, who: Name, until: string) =>
    s.rows(`update auth.users set banned_until = now() + $2::interval where id = $1`, [
      fixture.account[who],
      until,
    ])
  const setRole = (s: TestTransaction, who: Name, role: string) =>
    s.rows('update public.workspace_members set role = $2 where profile_id = $1', [
      fixture.profile[who],
      role,
    ])
  const nameOf = (id: Uuid): string =>
    Object.entries(fixture.profile).find(([, profile]) => profile === id)?.[0] ?? id
  const owners = async (s: TestTransaction) =>
    (
      await s.rows<{ profile_id: Uuid }>(
        `select profile_id from public.workspace_members where workspace_id = $1 and role = 'owner'`,
        [fixture.workspace],
      )
    )
      .map((row) => nameOf(row.profile_id))
      .toSorted()
  const admins = async (s: TestTransaction, channel: Uuid) =>
    (
      await s.rows<{ profile_id: Uuid }>(
        `select profile_id from public.channel_members where channel_id = $1 and role = 'admin'`,
        [channel],
      )
    )
      .map((row) => nameOf(row.profile_id))
      .toSorted()

  it('makes the longest-serving admin the owner when the last owner’s account is deleted, else a member', async () => {
    await fixture.service(async (s) => {
      await deleteAccount(s, 'ann')
      expect(await owners(s)).toEqual(['ann', 'bea'])
    })
    await fixture.service(async (s) => {
      await setRole(s, 'cem', 'admin')
      await deleteAccount(s, 'ann')
      expect(await owners(s)).toEqual(['ann', 'cem'])
    })
    await fixture.service(async (s) => {
      await s.rows('update auth.users set deleted_at = now() where id = $1', [fixture.account.ann])
      expect(await owners(s)).toEqual(['ann', 'bea'])
    })
    await fixture.service(async (s) => {
      await setRole(s, 'cem', 'owner')
      await deleteAccount(s, 'ann')
      expect(await owners(s)).toEqual(['ann', 'cem'])
    })
  })

  it('replaces an owner who is banned for long, and not one who is banned for days', async () => {
    await fixture.service(async (s) => {
      await ban(s, 'ann', '24 hours')
      expect(await owners(s)).toEqual(['ann'])
      await ban(s, 'ann', '100 years')
      expect(await owners(s)).toEqual(['ann', 'bea'])
    })
    await fixture.service(async (s) => {
      await ban(s, 'bea', '24 hours')
      await ban(s, 'ann', '100 years')
      expect(await owners(s)).toEqual(['ann', 'cem'])
    })
  })

  it('replaces an owner whose membership ends', async () => {
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [
        fixture.profile.ann,
      ])
      expect(await owners(s)).toEqual(['ann', 'bea'])
    })
    await fixture.service(async (s) => {
      await s.rows('delete from public.profiles where id = $1', [fixture.profile.zoe])
      await s.rows('delete from public.workspaces where id = $1', [fixture.workspace])
    })
  })

  it('never makes a guest the owner, and appoints the first full member who can act within the hour', async () => {
    await fixture.service(async (s) => {
      for (const who of ['bea', 'cem', 'eli', 'sid'] as const) await setRole(s, who, 'guest')
      await deleteAccount(s, 'ann')
      expect(await owners(s)).toEqual(['ann'])
      await s.rows('select app.appoint_owners()')
      expect(await owners(s)).toEqual(['ann'])
      await setRole(s, 'cem', 'member')
      await s.rows('select app.appoint_owners()')
      expect(await owners(s)).toEqual(['ann', 'cem'])
    })
  })

  it('makes the longest-serving full member the admin of a channel whose last admin loses the account', async () => {
    const channel = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await s.call('create_channel', {
        id: channel,
        workspace: fixture.workspace,
        kind: 'private',
        name: 'nobody left',
      })
      for (const who of ['gus', 'eli', 'cem'] as const)
        await s.call('add_members', { channel, people: [fixture.profile[who]] })
    })
    await fixture.service(
      (s) =>
        s.rows(
          `update public.channel_members set created_at = now() - interval '1 hour' where profile_id = any ($1)`,
          [[fixture.profile.gus, fixture.profile.eli]],
        ),
      true,
    )
    for (const end of [
      (s: TestTransaction) => deleteAccount(s, 'bea'),
      (s: TestTransaction) => ban(s, 'bea', '100 years'),
      (s: TestTransaction) =>
        s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [
          fixture.profile.bea,
        ]),
    ]) {
      await fixture.service(async (s) => {
        await end(s)
        expect(await admins(s, channel)).toEqual(['bea', 'eli'])
        // It was managed by the workspace's owner, who belongs to it.
        expect(await admins(s, fixture.lobby)).toEqual(['ann'])
      })
    }
    await fixture.service(async (s) => {
      await ban(s, 'bea', '24 hours')
      expect(await admins(s, channel)).toEqual(['bea'])
    })
  })

  it('leaves an owner to a workspace whose two owners lose their accounts at once', async () => {
    await fixture.service((s) => setRole(s, 'cem', 'owner'), true)
    const [one, other] = [0, 1].map(() => new Client(fixture.database.config('postgres'))) as [Client, Client]
    await Promise.all([one.connect(), other.connect()])
    try {
      const pid = await transactionOn(other).value<number>('select pg_backend_pid()')
      await one.query('begin')
      await other.query('begin')
      await deleteAccount(transactionOn(one), 'ann')
      const waiting = deleteAccount(transactionOn(other), 'cem')
      await vi.waitFor(async () => {
        const blocked = await fixture.service((s) =>
          s.value('select cardinality(pg_blocking_pids($1))', [pid]),
        )
        expect(blocked).toBeGreaterThan(0)
      })
      await one.query('commit')
      await waiting
      await other.query('commit')
    } finally {
      await Promise.all([one.end(), other.end()])
    }
    expect(await fixture.service(owners)).toEqual(['ann', 'bea', 'cem'])
  })
})
