/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName } from '../../wire/commands.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

const scopes = ['channels:read', 'messages:read', 'messages:write'] as const
type Scope = (typeof scopes)[number]

/** Every command, and the scope that an application needs for it which a person let in by OAuth; false: none is enough. */
const commandScopes: Record<CommandName, Scope | false> = {
  bootstrap: 'channels:read',
  heartbeat: 'channels:read',
  browse_channels: 'channels:read',
  channel_people: 'channels:read',
  channel_page: 'messages:read',
  channel_changes: 'messages:read',
  thread_page: 'messages:read',
  thread_inbox: 'messages:read',
  thread_states: 'messages:read',
  search_messages: 'messages:read',
  list_files: 'messages:read',
  who_can_read: 'messages:read',
  view_invitation: 'channels:read',
  open_direct: 'messages:write',
  send_message: 'messages:write',
  edit_message: 'messages:write',
  delete_message: 'messages:write',
  react: 'messages:write',
  close_poll: 'messages:write',
  remove_link_preview: false,
  messages_by_ids: 'messages:read',
  message_at: 'messages:read',
  pin_message: 'messages:write',
  typing: 'messages:write',
  mark_read: 'messages:write',
  mark_unread: 'messages:write',
  mark_thread_read: 'messages:write',
  mark_thread_unread: 'messages:write',
  follow_thread: 'messages:write',
  save_draft: false,
  activity: 'messages:read',
  mark_activity_seen: false,
  my_notifications: false,
  recount_unread: false,
  schedule_message: false,
  change_scheduled_message: false,
  send_scheduled_message: false,
  delete_scheduled_message: false,
  set_reminder: false,
  complete_reminder: false,
  delete_reminder: false,
  save_message: false,
  found_workspace: false,
  create_workspace: false,
  unread_workspaces: 'channels:read',
  rename_workspace: false,
  set_workspace_icon: false,
  set_workspace_options: false,
  set_second_factor_requirement: false,
  set_reauthentication: false,
  set_private_export: false,
  set_web_channels: false,
  publish_channel: false,
  web_channel_page: false,
  add_emoji: false,
  change_emoji: false,
  delete_emoji: false,
  create_group: false,
  change_group: false,
  change_group_members: false,
  seen_by: false,
  add_bookmark: false,
  change_bookmark: false,
  move_bookmark: false,
  preview_move: false,
  move_thread: false,
  delete_bookmark: false,
  storage_usage: false,
  set_storage_quotas: false,
  schedule_workspace_deletion: false,
  cancel_workspace_deletion: false,
  set_member_role: false,
  transfer_ownership: false,
  set_guest_access: false,
  deactivate_member: false,
  reactivate_member: false,
  remove_person: false,
  sign_out_person: false,
  correct_address: false,
  leave_workspace: false,
  list_people: false,
  person_details: false,
  erase_person: false,
  create_bot: false,
  update_bot: false,
  set_bot_channels: false,
  create_bot_token: false,
  end_bot_token: false,
  end_bot: false,
  list_bots: false,
  create_incoming_webhook: false,
  renew_incoming_webhook: false,
  update_incoming_webhook: false,
  delete_incoming_webhook: false,
  list_webhooks: false,
  create_outgoing_webhook: false,
  enable_outgoing_webhook: false,
  renew_outgoing_webhook: false,
  keep_outgoing_webhook: false,
  keep_bot_command: false,
  end_integrations: false,
  delete_outgoing_webhook: false,
  create_bot_command: false,
  update_bot_command: false,
  delete_bot_command: false,
  renew_command_secret: false,
  list_bot_commands: false,
  list_commands: false,
  invoke_command: false,
  dismiss_response: false,
  create_invitation: false,
  invite_by_mail: false,
  resend_invitation: false,
  list_invitations: false,
  revoke_invitation: false,
  accept_invitation: false,
  joining_settings: false,
  set_joining_domain: false,
  set_joining_options: false,
  approve_join_request: false,
  decline_join_request: false,
  list_joinable_workspaces: false,
  join_workspace: false,
  request_to_join: false,
  withdraw_join_request: false,
  request_sign_up: false,
  create_channel: false,
  update_channel: false,
  archive_channel: false,
  delete_channel: false,
  set_channel_role: false,
  join_channel: false,
  leave_channel: false,
  add_members: false,
  remove_member: false,
  list_audit_log: false,
  retention: false,
  preview_retention: false,
  set_retention: false,
  list_retention_receipts: false,
  list_channels: false,
  archive_channels: false,
  list_person_storage: false,
  list_channel_storage: false,
  list_imports: false,
  import_receipt: false,
  preview_undo: false,
  undo_import: false,
  list_imported_people: false,
  preview_claim: false,
  claim_imported_person: false,
  workspace_health: false,
  confirm_restore: false,
  request_server_checks: false,
  check_server_owner: false,
  check_moving: false,
  block_person: false,
  unblock_person: false,
  set_slow_mode: false,
  slow_mode_wait: false,
  set_workspace_language: false,
  set_guest_links: false,
  report_message: false,
  list_reports: false,
  admin_tasks: false,
  take_report: false,
  close_report: false,
  remove_message: false,
  silence_member: false,
  end_silence: false,
  my_sessions: false,
  end_session: false,
  ended_session: false,
  my_ended_memberships: false,
  my_account_deletion: false,
  request_account_deletion: false,
  cancel_account_deletion: false,
  my_recovery_codes: false,
  create_recovery_codes: false,
  use_recovery_code: false,
  create_sign_in_code: false,
  view_sign_in_code: false,
  approve_device: false,
  refuse_device: false,
  add_push_subscription: false,
  remove_push_subscription: false,
  my_push_subscriptions: false,
  test_push: false,
  close_page: false,
}

describe.each(testDatabases)('an application on $name', ({ open: openHome }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await openHome())
    await fixture.service(async (s) => {
      await s.rows(
        `insert into auth.oauth_clients (id, client_type, registration_type, redirect_uris, grant_types,
           token_endpoint_auth_method)
         values ($1, 'public', 'manual', 'https://app.example/', 'authorization_code', 'none')`,
        [fixture.account.ann],
      )
      await s.rows('update auth.sessions set oauth_client_id = $1 where user_id = $1', [fixture.account.ann])
    }, true)
  })
  afterAll(() => fixture.stop())

  /** What the data API answers before it calls a command, or reads or writes a table. */
  const check = (who: Name, path: string, o: { reading?: boolean } = {}): Promise<string> =>
    fixture.rolledBackAs(who, async (s: TestTransaction) => {
      await s.rows(`select set_config('request.path', $1, true)`, [path])
      if (o.reading) await s.rows('set transaction read only')
      await s.rows('savepoint before')
      try {
        await s.rows('select app.check_request()')
        return 'passed'
      } catch (error) {
        await s.rows('rollback to savepoint before')
        return (error as Error).message
      }
    })

  /** Grants the application of Ann these scopes, as she does herself; it has no session of hers meanwhile. */
  const grant = async (granted: readonly Scope[]): Promise<void> => {
    const session = (client: string | null) =>
      fixture.service(
        (s) =>
          s.rows('update auth.sessions set oauth_client_id = $2 where user_id = $1', [
            fixture.account.ann,
            client,
          ]),
        true,
      )
    await session(null)
    await fixture.committedAs('ann', (s) =>
      s.rows(
        `insert into public.application_grants (client_id, scopes) values ($1, $2)
         on conflict (profile_id, client_id) do update set scopes = excluded.scopes`,
        [fixture.account.ann, granted],
      ),
    )
    await session(fixture.account.ann)
  }

  it('calls no command before the person has granted it a scope', async () => {
    for (const name of Object.keys(commandScopes))
      expect(await check('ann', `/rpc/${name}`), name).toBe('not_allowed')
  })

  it.each(scopes)('calls the commands of %s alone, with an owner’s token', async (scope) => {
    await grant([scope])
    for (const [name, needed] of Object.entries(commandScopes)) {
      const expected = needed === scope ? 'passed' : 'not_allowed'
      expect([name, await check('ann', `/rpc/${name}`)]).toEqual([name, expected])
      expect(await check('bea', `/rpc/${name}`)).toBe('passed')
    }
  })

  it('calls nothing that is unknown, or passes by another way of writing, with all scopes', async () => {
    await grant(scopes)
    const paths = ['/rpc/graphql', '/rpc/new_command', '/rpc/CREATE_INVITATION']
    for (const path of paths) expect([path, await check('ann', path)]).toEqual([path, 'not_allowed'])
    for (const path of ['/rpc/create%5Finvitation', '/%72pc/create_invitation', '/rpc%2Fcreate_invitation'])
      for (const reading of [false, true])
        expect([path, await check('ann', path, { reading })]).toEqual([path, 'not_found'])
    expect(await check('ann', '/rpc/list_invitations', { reading: true })).toBe('not_allowed')
    expect(await check('ann', '/messages', { reading: true })).toBe('passed')
  })

  it('whose session has ended has no scope and is not the person, also for commands that it may call', async () => {
    const states = async (who: Name | 'anon') =>
      fixture.rolledBackAs(who, async (s) => {
        await s.rows('reset role')
        return s.rows(`select app.is_first_party_session() as own, app.has_scope('channels:read') as scope`)
      })
    expect(await states('bea')).toEqual([{ own: true, scope: true }])
    for (const who of ['sid', 'anon'] as const)
      expect(await states(who)).toEqual([{ own: false, scope: false }])
    for (const name of ['bootstrap', 'send_message', 'create_invitation'])
      expect([name, await check('sid', `/rpc/${name}`)]).toEqual([name, 'session_ended'])
    expect(await check('sid', '/rpc/view_invitation')).toBe('passed')
  })

  /** The number of rows that a person reads of tables. */
  const counts = (who: Name, tables: string[]): Promise<Record<string, number>> =>
    fixture.rolledBackAs(who, async (s) => {
      const found: Record<string, number> = {}
      for (const table of tables) found[table] = Number(await s.value(`select count(*) from public.${table}`))
      return found
    })

  it('reads rows of tables with their scope alone, and never what is the person’s own', async () => {
    const first = { channel: fixture.lobby, text: 'x' }
    await fixture.service(
      (s) =>
        s.rows('update auth.sessions set oauth_client_id = null where user_id = $1', [fixture.account.ann]),
      true,
    )
    await fixture.committedAs('ann', async (s) => {
      await s.rows(
        `insert into public.saved_searches (id, workspace_id, name, query) values (gen_random_uuid(), $1, 'x', 'x')`,
        [fixture.workspace],
      )
      await s.rows('insert into public.notification_preferences (workspace_id) values ($1)', [
        fixture.workspace,
      ])
      await s.call('save_message', { message: fixture.messages.fresh, state: 'saved' })
      const due = new Date(Date.now() + 86_400_000).toISOString()
      await s.call('schedule_message', {
        id: randomUUID(),
        channel: first.channel,
        body: 'later',
        send_at: due,
      })
      await s.call('set_reminder', {
        id: randomUUID(),
        workspace: fixture.workspace,
        text: 'Water',
        due_at: due,
        time_zone: 'UTC',
      })
    })
    const closed = [
      'saved_searches',
      'notification_preferences',
      'saved_messages',
      'scheduled_messages',
      'reminders',
      'application_grants',
    ]
    const byScope = {
      'channels:read': ['profiles', 'channels', 'channel_member_state'],
      'messages:read': ['messages', 'reactions'],
    }
    const all = [...closed, ...Object.values(byScope).flat()]
    for (const [table, rows] of Object.entries(await counts('ann', all)))
      expect(rows, table).toBeGreaterThan(0)
    for (const granted of [[], ...scopes.map((scope) => [scope]), scopes]) {
      await grant(granted)
      for (const [table, rows] of Object.entries(await counts('ann', all))) {
        const isOpen = Object.entries(byScope).some(
          ([scope, tables]) => tables.includes(table) && granted.includes(scope as Scope),
        )
        expect([table, granted, rows > 0]).toEqual([table, granted, isOpen])
      }
    }
  })

  it('that may only write is sent no message of others', async () => {
    const { lobby } = fixture
    const message = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id: message, channel: lobby, body: 'Of Bea' }),
    )
    const responses = async (granted: Scope[]) => {
      await grant(granted)
      return fixture.rolledBackAs('ann', async (s) => [
        (await s.call('send_message', { id: randomUUID(), channel: lobby, body: 'Own' })).message?.body,
        (await s.call('react', { message, emoji: '👍', on: true })).message?.body,
        (await s.call('pin_message', { message, on: true })).message?.body,
      ])
    }
    expect(await responses(['messages:write'])).toEqual(['Own', undefined, undefined])
    expect(await responses([...scopes])).toEqual(['Own', 'Of Bea', 'Of Bea'])
  })

  it('receives no row of the person’s own at its start, and no topic of theirs', async () => {
    const own = () =>
      fixture.rolledBackAs('ann', (s) =>
        s.value<{ own: object }>('select public.bootstrap($1)', [fixture.workspace]),
      )
    const topic = (name: string) =>
      fixture.rolledBackAs('ann', (s) => s.value<boolean>('select app.can_subscribe($1)', [name]))
    const epoch = await fixture.service((s) =>
      s.value<string>('select epoch from public.channel_counters where channel_id = $1', [fixture.lobby]),
    )
    const [personal, shared] = [`user:${fixture.profile.ann}`, `channel:${fixture.lobby}:${epoch}`]
    await grant(scopes)
    expect((await own()).own).toEqual({})
    expect([await topic(personal), await topic(shared)]).toEqual([false, true])
    await grant(['channels:read'])
    expect([await topic(personal), await topic(shared)]).toEqual([false, false])
    await fixture.service(
      (s) =>
        s.rows('update auth.sessions set oauth_client_id = null where user_id = $1', [fixture.account.ann]),
      true,
    )
    expect(Object.keys((await own()).own)).toContain('saved')
    expect([await topic(personal), await topic(shared)]).toEqual([true, true])
  })

  it('learns from no result what the person has saved, and whom they have blocked', async () => {
    const { workspace, direct, profile } = fixture
    await fixture.service(
      (s) =>
        s.rows('update auth.sessions set oauth_client_id = null where user_id = $1', [fixture.account.ann]),
      true,
    )
    const mentioned = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id: mentioned, channel: direct, body: `Saffron, <@${profile.ann}>` }),
    )
    await fixture.committedAs('ann', (s) => s.call('save_message', { message: mentioned, state: 'saved' }))
    const results = () =>
      fixture.rolledBackAs('ann', async (s) => ({
        words: (await s.call('search_messages', { workspace, query: 'saffron' })).hits.length,
        activity: (await s.call('activity', { workspace, filter: 'mentions' })).entries.filter(
          (entry) => entry.message.id === mentioned,
        ).length,
      }))
    const saved = { workspace, filters: { is: ['saved' as const] } }
    expect(
      await fixture.rolledBackAs('ann', async (s) => [
        (await s.call('search_messages', { ...saved, query: 'saffron' })).hits.length,
      ]),
    ).toEqual([1])
    await grant(scopes)
    for (const query of ['', 'saffron', 'saffrom'])
      expect(
        await fixture.rolledBackAs('ann', (s) => s.failure('search_messages', { ...saved, query })),
        query,
      ).toBe('not_allowed')
    const before = await results()
    expect(before).toEqual({ words: 1, activity: 1 })
    await fixture.service(
      (s) =>
        s.rows('insert into public.blocks (profile_id, blocked_id) values ($1, $2)', [
          profile.ann,
          profile.bea,
        ]),
      true,
    )
    expect(await results()).toEqual(before)
  })

  it('changes nothing by commands that need a scope for reading, such as the presence of its person', async () => {
    await grant(['channels:read', 'messages:read'])
    const presence = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => {
        await s.call('heartbeat', { workspace: fixture.workspace, state: 'active' })
        await s.rows('reset role')
        return s.rows('select state from public.heartbeats where profile_id = $1', [fixture.profile[who]])
      })
    expect(await presence('bea')).toEqual([{ state: 'active' }])
    expect(await presence('ann')).toEqual([])
    // PostgreSQL permits no writes in the statements of these functions. A heartbeat of the person's own session writes.
    const reading = Object.keys(commandScopes).filter((name) =>
      ['channels:read', 'messages:read'].includes(String(commandScopes[name as CommandName])),
    )
    const volatile = await fixture.service((s) =>
      s.rows(
        `select proname from pg_proc where pronamespace = 'public'::regnamespace and provolatile = 'v'
           and proname = any ($1)`,
        [reading],
      ),
    )
    expect(volatile).toEqual([{ proname: 'heartbeat' }])
  })

  it('writes to no table, and grants itself nothing', async () => {
    await grant(scopes)
    await fixture.rolledBackAs('ann', async (s) => {
      const refused = /row-level security/
      const writes = [
        `update public.profiles set name = 'Taken' where id = app.my_profile_id()`,
        `update public.channel_member_state set muted = true where channel_id = '${fixture.lobby}'`,
        `insert into public.sections (id, name, position, workspace_id) values (gen_random_uuid(), 'x', 1, '${fixture.workspace}')`,
        `insert into public.application_grants (client_id, scopes) values ('${fixture.account.ann}', '{}')`,
        `insert into storage.objects (bucket_id, name, owner_id) values ('avatars', '${fixture.profile.ann}/${randomUUID()}', '${fixture.account.ann}')`,
      ]
      for (const sql of writes)
        expect([sql, (await s.refusal((t) => t.rows(sql))).message]).toEqual([
          sql,
          expect.stringMatching(refused),
        ])
      expect(await s.rows('delete from public.application_grants where true returning 1')).toEqual([])
      expect(
        await s.rows('update public.notification_preferences set level = level where true returning 1'),
      ).toEqual([])
    })
  })

  it('people grant only known scopes, to known applications, for themselves', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const insert = 'insert into public.application_grants (client_id, scopes) values ($1, $2)'
      const unknown = await s.refusal((t) => t.rows(insert, [fixture.account.ann, ['account']]))
      expect(unknown.constraint).toBe('application_grants_scopes_known')
      expect((await s.refusal((t) => t.rows(insert, [randomUUID(), []]))).message).toMatch(
        /row-level security/,
      )
      await s.rows(insert, [fixture.account.ann, ['channels:read']])
      expect(await s.value('select count(*)::int from public.application_grants')).toBe(1)
    })
  })
})
