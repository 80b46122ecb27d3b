import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { openFixture, type Fixture, type Name } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** What the audit log of a workspace records, and who reads it. */
describe.each(testDatabases)('the audit log on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    await fixture.service(
      (s) =>
        s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          fixture.profile.cem,
        ]),
      true,
    )
  })
  afterAll(() => fixture.stop())

  const list = (who: Name, args: Partial<Commands['list_audit_log']['args']> = {}) =>
    fixture.rolledBackAs(who, (s) => s.call('list_audit_log', { workspace: fixture.workspace, ...args }))
  /** What `work` records, oldest first, as Ann reads it. */
  const recordedBy = async (work: () => Promise<unknown>) => {
    const known = new Set((await list('ann', { limit: 500 })).entries.map(({ id }) => id))
    await work()
    const { entries } = await list('ann', { limit: 500 })
    return entries
      .filter(({ id }) => !known.has(id))
      .toReversed()
      .map(({ actor_id, action, target }) => ({ actor_id, action, target }))
  }
  const asService = (sql: string, values: unknown[] = []) => fixture.service((s) => s.rows(sql, values), true)

  it('records roles, memberships and their end, whoever changes them', async () => {
    const { profile } = fixture
    const target = { profile_id: profile.eli }
    expect(
      await recordedBy(async () => {
        await asService(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
          profile.eli,
        ])
        await asService(`update public.workspace_members set role = 'member' where profile_id = $1`, [
          profile.eli,
        ])
        await fixture.committedAs('ann', (s) =>
          s.call('deactivate_member', { workspace: fixture.workspace, person: profile.eli }),
        )
        await asService(`update public.workspace_members set state = 'active' where profile_id = $1`, [
          profile.eli,
        ])
      }),
    ).toEqual([
      {
        actor_id: null,
        action: 'member.role_changed',
        target: { ...target, from: 'member', to: 'admin' },
      },
      {
        actor_id: null,
        action: 'member.role_changed',
        target: { ...target, from: 'admin', to: 'member' },
      },
      { actor_id: profile.ann, action: 'member.deactivated', target },
      { actor_id: null, action: 'member.reactivated', target },
    ])
  })

  it('records the server where the heartbeat of a person ends the access of another', async () => {
    const { profile, workspace } = fixture
    await asService(
      `update public.workspace_members set expires_at = now() - interval '1 minute' where profile_id = $1`,
      [profile.gus],
    )
    const beat = () =>
      fixture.committedAs('bea', (s) => s.call('heartbeat', { workspace, state: 'active', stored: {} }))
    const entries = await recordedBy(async () => {
      // Each heartbeat ends one membership. The membership of the fixture's former guest has expired too.
      await beat()
      await beat()
    })
    expect(entries).toContainEqual({
      actor_id: null,
      action: 'member.expired',
      target: { profile_id: profile.gus },
    })
    expect(entries.every(({ actor_id }) => actor_id === null)).toBe(true)
    await asService(
      `update public.workspace_members set state = 'active', expires_at = null where profile_id = $1`,
      [profile.gus],
    )
  })

  it('records sign-ins, second factors and addresses of owners and admins, without the addresses', async () => {
    const { account, profile } = fixture
    const addFactor = `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values ($1, $2, 'totp', 'unverified', now(), now())`
    const verifyFactor = `update auth.mfa_factors set status = 'verified' where id = $1`
    const signIn = 'insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())'
    const verifySession = `update auth.sessions set aal = 'aal2' where id = $1`
    const changeAddress = 'update auth.users set email = $2 where id = $1'
    const [factor, first, second] = [randomUUID(), randomUUID(), randomUUID()]
    const entries = await recordedBy(async () => {
      await asService(signIn, [first, account.cem])
      await asService(addFactor, [factor, account.cem])
      await fixture.service(async (s) => {
        // As the auth service does when the first code of a new factor is right.
        await s.rows(verifyFactor, [factor])
        await s.rows(verifySession, [first])
      }, true)
      await asService(signIn, [second, account.cem])
      await asService(verifySession, [second])
      await asService('delete from auth.mfa_factors where id = $1', [factor])
      await asService(changeAddress, [account.cem, 'other@harbour.example'])
      await asService('update auth.users set email_change = $2 where id = $1', [
        account.cem,
        'cem@harbour.example',
      ])
      await asService(`update auth.users set email = email_change, email_change = '' where id = $1`, [
        account.cem,
      ])
      // Nothing about the accounts of members.
      await asService(signIn, [randomUUID(), account.bea])
      await asService(changeAddress, [account.bea, 'other.bea@harbour.example'])
    })
    const own = (action: string, target: object = {}, actor_id: Uuid | null = profile.cem) => ({
      actor_id,
      action: `account.${action}`,
      target: { profile_id: profile.cem, ...target },
    })
    expect(entries).toEqual([
      own('signed_in'),
      own('factor_added', { factor_type: 'totp' }),
      own('sign_in_started'),
      own('signed_in'),
      own('factor_removed', { factor_type: 'totp' }, null),
      own('address_changed', {}, null),
      own('address_changed'),
    ])
    await asService(changeAddress, [account.bea, 'bea@harbour.example'])
  })

  it('records invitations without token and address, and who accepted them', async () => {
    const { profile, workspace } = fixture
    const created = await recordedBy(() =>
      fixture.committedAs('ann', async (s) => {
        const mailed = await s.call('create_invitation', {
          workspace,
          role: 'guest',
          channels: [fixture.lobby],
          email: 'una@harbour.example',
        })
        await s.call('revoke_invitation', { id: mailed.id })
      }),
    )
    expect(created.map(({ action }) => action)).toEqual(['invitation.created', 'invitation.revoked'])
    expect(JSON.stringify(created)).not.toContain('una@')
    const { entries } = await list('ann', { action: 'invitation.accepted', actor: profile.bea })
    expect(entries).toHaveLength(1)
    expect((await list('ann', { action: 'member.added', actor: profile.bea })).entries[0]?.target).toEqual({
      profile_id: profile.bea,
      role: 'member',
    })
  })

  it('records options and quotas with their values before and after, and nothing if none changed', async () => {
    const { workspace } = fixture
    const entries = await recordedBy(() =>
      fixture.committedAs('ann', async (s) => {
        await s.call('set_workspace_options', { workspace, read_receipts: 'members' })
        await s.call('set_workspace_options', { workspace, read_receipts: 'members' })
        await s.call('rename_workspace', { workspace, name: 'Harbour' })
        await s.call('set_storage_quotas', {
          workspace,
          max_bytes: 2_000_000,
          max_bytes_per_person: 10_000_000_000,
        })
      }),
    )
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['workspace.options_changed', { read_receipts: { from: 'off', to: 'members' } }],
      ['workspace.renamed', { from: 'Harbour Street', to: 'Harbour' }],
      ['workspace.quotas_changed', { max_bytes: { from: 100_000_000_000, to: 2_000_000 } }],
    ])
  })

  it('records bots, their tokens, webhooks and commands without their secrets', async () => {
    const { workspace, side, profile } = fixture
    let bot: Uuid
    const secrets: string[] = []
    const entries = await recordedBy(() =>
      fixture.committedAs('cem', async (s) => {
        await s.call('join_channel', { channel: side })
        bot = (await s.call('create_bot', { id: randomUUID(), workspace, name: 'Bell', channels: [side] })).id
        secrets.push((await s.call('create_bot_token', { bot, days: 7 })).token)
        const incoming = await s.call('create_incoming_webhook', { bot, channel: side })
        const renewed = await s.call('renew_incoming_webhook', { webhook: incoming.webhook.id })
        secrets.push(incoming.token, renewed.token)
        const change = { webhook: incoming.webhook.id, name: 'Bell', emoji: null, notifies_everyone: true }
        await s.call('update_incoming_webhook', change)
        await s.call('update_incoming_webhook', change)
        const url = 'https://relay.example/secret-path'
        const outgoing = await s.call('create_outgoing_webhook', { bot, channel: side, url })
        secrets.push(url, outgoing.secret)
        secrets.push((await s.call('renew_outgoing_webhook', { webhook: outgoing.webhook.id })).secret)
        await s.call('create_bot_command', { bot, name: 'ring', description: 'Rings', url })
        secrets.push((await s.call('renew_command_secret', { bot })).secret)
        await s.call('delete_incoming_webhook', { webhook: incoming.webhook.id })
        await s.call('end_bot', { bot })
      }),
    )
    expect(new Set(entries.map((entry) => entry.actor_id))).toEqual(new Set([profile.cem]))
    const actions = entries.map(({ action }) => action)
    expect(actions.slice(0, 11)).toEqual([
      'bot.created',
      'channel.member_added',
      'bot.token_created',
      'webhook.created',
      'webhook.renewed',
      'webhook.changed',
      'webhook.created',
      'webhook.secret_renewed',
      'command.created',
      'command.secret_renewed',
      'webhook.ended',
    ])
    expect(actions.slice(11).toSorted()).toEqual([
      'bot.ended',
      'bot.token_ended',
      'command.ended',
      'webhook.ended',
    ])
    for (const secret of secrets) expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('records channels and their admins; of private ones it shows owners neither channel nor people', async () => {
    const { workspace, profile } = fixture
    const [open, secret] = [randomUUID(), randomUUID()]
    const changes = (channel: Uuid, kind: 'public' | 'private') =>
      fixture.committedAs('bea', async (s) => {
        await s.call('create_channel', { id: channel, workspace, kind, name: `c ${channel}` })
        await s.call('add_members', { channel, people: [profile.cem] })
        await s.call('set_channel_role', { channel, person: profile.cem, role: 'admin' })
        await s.call('remove_member', { channel, person: profile.cem })
        await s.call('archive_channel', { channel, on: true })
      })
    const actions = [
      'channel.created',
      'channel.member_added',
      'channel.role_changed',
      'channel.member_removed',
      'channel.archived',
    ]
    const shown = await recordedBy(() => changes(open, 'public'))
    expect(shown.map(({ action }) => action)).toEqual(actions)
    expect(shown[2]?.target).toEqual({
      channel_id: open,
      kind: 'public',
      profile_id: profile.cem,
      from: 'member',
      to: 'admin',
    })
    const hidden = await recordedBy(() => changes(secret, 'private'))
    expect(hidden.map(({ action }) => action)).toEqual(actions)
    expect(hidden.map(({ target }) => target)).toEqual(actions.map(() => ({ hidden: true })))
    // Cem, an admin, reads `closed`, whose members Bea added.
    const ofCem = await list('cem', { action: 'channel.member_added', actor: profile.bea, limit: 500 })
    expect(ofCem.entries.map(({ target }) => target['channel_id'])).toContain(fixture.closed)
    expect(JSON.stringify(await list('ann', { limit: 500 }))).not.toContain(fixture.closed)
  })

  it('records nothing of direct conversations', async () => {
    const { workspace, profile } = fixture
    expect(
      await recordedBy(() =>
        fixture.committedAs('bea', (s) =>
          s.call('open_direct', { workspace, people: [profile.cem, profile.eli] }),
        ),
      ),
    ).toEqual([])
  })

  it('is read by admins too', async () => {
    expect((await list('cem')).entries.length).toBeGreaterThan(10)
  })

  it('is filtered by person, action and time, and read in pages', async () => {
    const all = (await list('ann', { limit: 500 })).entries
    const paged: Uuid[] = []
    let before: string | null = null
    do {
      const page = await list('ann', { before, limit: 7 })
      expect(page.entries.length).toBeLessThanOrEqual(7)
      paged.push(...page.entries.map(({ id }) => id))
      before = page.before
    } while (before !== null)
    expect(paged).toEqual(all.map(({ id }) => id))
    const [middle, later] = [all[9]!, all[4]!]
    const during = await list('ann', { from: middle.recorded_at, until: later.recorded_at })
    expect(during.entries).toEqual(all.slice(5, 10))
    const { bea } = fixture.profile
    expect((await list('ann', { actor: bea, limit: 500 })).entries).toEqual(
      all.filter(({ actor_id }) => actor_id === bea),
    )
    expect(
      await fixture.rolledBackAs('ann', (s) =>
        s.failure('list_audit_log', { workspace: fixture.workspace, before: 'x' }),
      ),
    ).toBe('bad_cursor')
  })

  it('is only appended to, even by the owner of the table, and ends with its workspace', async () => {
    const count = 'select count(*)::integer from public.audit_log where workspace_id = $1'
    await fixture.service(async (s) => {
      for (const sql of [
        `update public.audit_log set action = 'a.b' where true`,
        'delete from public.audit_log where true',
        'truncate public.audit_log',
        'truncate public.workspaces cascade',
      ]) {
        expect([sql, (await s.refusal((r) => r.rows(sql))).message]).toEqual([sql, 'not_allowed'])
      }
      expect(await s.value(count, [fixture.workspace])).toBeGreaterThan(0)
      const other = await s.value('select id from public.workspaces where id <> $1', [fixture.workspace])
      expect(await s.value(count, [other])).toBeGreaterThan(0)
      await s.rows('delete from public.workspaces where id = $1', [other])
      expect(await s.value(count, [other])).toBe(0)
    })
    for (const role of ['authenticated', 'service_role']) {
      await fixture.service(async (s) => {
        await s.rows(`set local role ${role}`)
        for (const sql of [
          `insert into public.audit_log (workspace_id, action) values (gen_random_uuid(), 'a.b')`,
          `update public.audit_log set action = 'a.b' where true`,
          'delete from public.audit_log where true',
          'truncate public.audit_log',
        ]) {
          expect((await s.refusal((r) => r.rows(sql))).code).toBe('42501')
        }
      })
    }
  })
})
