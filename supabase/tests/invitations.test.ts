import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Commands } from '../../wire/commands.ts'
import { LIMITS } from '../../wire/limits.ts'
import { type Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type Fixture } from './support/fixture.ts'

/** The list of open invitations, and what an invitation may contain. */
describe.each(testDatabases)('invitations on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    // Cem administers the workspace too, and alone of the two reads the private channel.
    await fixture.service(
      (s) =>
        s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      true,
    )
  })
  afterAll(() => fixture.stop())

  type Wanted = Partial<Commands['create_invitation']['args']>
  const invite = (who: Name, args: Wanted = {}) =>
    fixture.committedAs(who, (s) =>
      s.call('create_invitation', { workspace: fixture.workspace, role: 'member', channels: [], ...args }),
    )
  const list = (who: Name, args: Partial<Commands['list_invitations']['args']> = {}) =>
    fixture.rolledBackAs(who, (s) => s.call('list_invitations', { workspace: fixture.workspace, ...args }))
  const ids = async (who: Name) => (await list(who)).invitations.map(({ id }) => id)
  const createChannel = async (who: Name, kind: 'public' | 'private'): Promise<Uuid> => {
    const id = randomUUID()
    await fixture.committedAs(who, (s) =>
      s.call('create_channel', { id, workspace: fixture.workspace, kind, name: `channel ${id}` }),
    )
    return id
  }

  it('lists open invitations for owners and admins, without tokens and with the channels that they read', async () => {
    const mailed = await invite('ann', {
      email: 'una@harbour.example',
      role: 'guest',
      channels: [fixture.lobby],
    })
    const link = await invite('cem', { channels: [fixture.closed, fixture.lobby], max_uses: 7 })
    const { invitations } = await list('ann')
    expect(invitations.slice(0, 2)).toEqual([
      expect.objectContaining({
        id: link.id,
        role: 'member',
        email: null,
        invited_by: fixture.profile.cem,
        max_uses: 7,
        uses: 0,
        expires_at: link.expires_at,
        suspended: false,
        channels: [fixture.lobby],
      }),
      expect.objectContaining({
        id: mailed.id,
        role: 'guest',
        email: 'una@harbour.example',
        invited_by: fixture.profile.ann,
        max_uses: 1,
      }),
    ])
    expect((await list('cem')).invitations[0]?.channels).toEqual([fixture.closed, fixture.lobby].toSorted())
    const text = JSON.stringify(await list('ann'))
    const hashes = await fixture.service((s) =>
      s.rows<{ token_hash: string }>('select token_hash from public.invitations'),
    )
    for (const secret of [link.token, mailed.token, ...hashes.map((row) => row.token_hash)]) {
      expect(text).not.toContain(secret)
    }
    for (const who of ['bea', 'gus'] as const) {
      expect(
        await fixture.rolledBackAs(who, (s) =>
          s.failure('list_invitations', { workspace: fixture.workspace }),
        ),
      ).toBe('not_allowed')
    }
    for (const who of ['omar', 'zoe', 'dee'] as const) {
      expect(
        await fixture.rolledBackAs(who, (s) =>
          s.failure('list_invitations', { workspace: fixture.workspace }),
        ),
      ).toBe('not_found')
    }
  })

  it('leaves out what was revoked, has expired or was used up', async () => {
    const [revoked, expired, used, opened] = [
      await invite('ann'),
      await invite('ann'),
      await invite('ann', { max_uses: 1, channels: [fixture.side] }),
      await invite('ann'),
    ]
    await fixture.committedAs('cem', (s) =>
      s.call('accept_invitation', { token: used.token, person_name: 'Cem' }),
    )
    await fixture.committedAs('cem', (s) => s.call('revoke_invitation', { id: revoked.id }))
    await fixture.service(
      (s) => s.rows('update public.invitations set expires_at = now() where id = $1', [expired.id]),
      true,
    )
    const listed = await ids('ann')
    expect(listed).toContain(opened.id)
    for (const { id } of [revoked, expired, used]) expect(listed).not.toContain(id)
  })

  it('marks an invitation as suspended while its author may not invite', async () => {
    const { id } = await invite('cem')
    const suspended = async () =>
      (await list('ann')).invitations.find((invitation) => invitation.id === id)?.suspended
    const ban = (until: string | null) =>
      fixture.service(
        (s) => s.rows('update auth.users set banned_until = $2 where id = $1', [fixture.account.cem, until]),
        true,
      )
    await ban('2100-01-01T00:00:00Z')
    expect(await suspended()).toBe(true)
    await ban(null)
    expect(await suspended()).toBe(false)
  })

  it('divides the list into pages, newest first', async () => {
    for (let i = 0; i < 5; i++) await invite('ann')
    const whole = await ids('ann')
    const paged: Uuid[] = []
    let before: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list('ann', { before, limit: 2 })
      expect(page.invitations.length).toBeLessThanOrEqual(2)
      paged.push(...page.invitations.map(({ id }) => id))
      before = page.before
    } while (before !== null)
    expect(paged).toEqual(whole)
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('list_invitations', { workspace: fixture.workspace, before: 'x' }),
      ),
    ).toBe('bad_cursor')
  })

  it('bounds the channels of an invitation, and stores each one once', async () => {
    const create = (channels: Uuid[]) =>
      fixture.rolledBackAs('ann', (s) =>
        s.failure('create_invitation', { workspace: fixture.workspace, role: 'guest', channels }),
      )
    expect(await create(Array.from({ length: LIMITS.invitationChannels + 1 }, () => fixture.lobby))).toBe(
      'too_many_channels',
    )
    expect(await create([])).toBe('guest_needs_channel')
    const { id } = await invite('ann', {
      channels: Array.from({ length: LIMITS.invitationChannels }, () => fixture.lobby),
    })
    await fixture.service(async (s) => {
      expect(
        await s.rows('select channel_id from public.invitation_channels where invitation_id = $1', [id]),
      ).toEqual([{ channel_id: fixture.lobby }])
    })
  })

  it('lets a person create 1,000 invitations in a day', async () => {
    const { workspace, profile } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows('delete from public.invitations where invited_by = $1', [profile.ann])
      await s.rows(
        `insert into public.invitations (workspace_id, token_hash, role, invited_by, max_uses, expires_at, created_at)
         select $1, 'bound ' || n, 'member', $2, 1, now() + interval '1 hour', now() - make_interval(hours => n % 2 * 25)
         from generate_series(1, 2000) n`,
        [workspace, profile.ann],
      )
      await s.rows(`select set_config('role', 'authenticated', true)`)
      const invite: Commands['create_invitation']['args'] = { workspace, role: 'member', channels: [] }
      expect(await s.failure('create_invitation', invite)).toBe('too_many_invitations')
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows(`delete from public.invitations where token_hash = 'bound 2'`)
      await s.rows(`select set_config('role', 'authenticated', true)`)
      await s.call('create_invitation', invite)
    })
  })

  it('refuses a guest whose invitation opens no channel any more', async () => {
    const channel = await createChannel('ann', 'public')
    const guest = await invite('ann', { role: 'guest', channels: [channel] })
    const member = await invite('ann', { role: 'member', channels: [channel] })
    const archive = (on: boolean) =>
      fixture.committedAs('ann', (s) => s.call('archive_channel', { channel, on }))
    const accept = (token: string) =>
      fixture.rolledBackAs('omar', (s) => s.failure('accept_invitation', { token, person_name: 'Omar' }))
    await archive(true)
    expect(
      await fixture.rolledBackAs('anon', (s) => s.failure('view_invitation', { token: guest.token })),
    ).toBe('invitation_without_channels')
    expect(await accept(guest.token)).toBe('invitation_without_channels')
    await fixture.rolledBackAs('omar', async (s) => {
      const entered = await s.call('accept_invitation', { token: member.token, person_name: 'Omar' })
      expect(entered.channel_id).toBeNull()
    })
    await archive(false)
    await fixture.rolledBackAs('omar', async (s) => {
      const entered = await s.call('accept_invitation', { token: guest.token, person_name: 'Omar' })
      expect(entered.channel_id).toBe(channel)
    })
  })
})
