import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandName } from '../../wire/commands.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** Every command, and whether an application may call it that a person let in by OAuth. */
const open: Record<CommandName, boolean> = {
  bootstrap: true,
  heartbeat: true,
  browse_channels: true,
  channel_people: true,
  channel_page: true,
  channel_changes: true,
  thread_page: true,
  thread_inbox: true,
  thread_states: true,
  search_messages: true,
  list_files: true,
  who_can_read: true,
  view_invitation: true,
  open_direct: true,
  send_message: true,
  edit_message: true,
  delete_message: true,
  react: true,
  close_poll: true,
  remove_link_preview: false,
  messages_by_ids: true,
  message_at: false,
  pin_message: true,
  typing: true,
  mark_read: true,
  mark_unread: true,
  mark_thread_read: true,
  mark_thread_unread: true,
  follow_thread: true,
  save_draft: false,
  activity: false,
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
  rename_workspace: false,
  set_workspace_options: false,
  add_emoji: false,
  change_emoji: false,
  delete_emoji: false,
  seen_by: false,
  add_bookmark: false,
  change_bookmark: false,
  move_bookmark: false,
  preview_move: false,
  move_thread: false,
  delete_bookmark: false,
  storage_usage: false,
  set_storage_quotas: false,
  deactivate_member: false,
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
  end_incoming_webhook: false,
  list_webhooks: false,
  create_outgoing_webhook: false,
  enable_outgoing_webhook: false,
  end_outgoing_webhook: false,
  create_bot_command: false,
  update_bot_command: false,
  end_bot_command: false,
  renew_command_secret: false,
  list_bot_commands: false,
  list_commands: false,
  invoke_command: false,
  dismiss_response: false,
  create_invitation: false,
  list_invitations: false,
  revoke_invitation: false,
  accept_invitation: false,
  request_sign_up: false,
  create_channel: false,
  update_channel: false,
  archive_channel: false,
  set_channel_role: false,
  join_channel: false,
  leave_channel: false,
  add_members: false,
  remove_member: false,
  my_sessions: false,
  end_session: false,
  add_push_subscription: false,
  remove_push_subscription: false,
  my_push_subscriptions: false,
  test_push: false,
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

  it('calls the commands for applications alone, with an owner’s token', async () => {
    const called: Record<string, boolean> = {}
    for (const name of Object.keys(open)) called[name] = (await check('ann', `/rpc/${name}`)) === 'passed'
    expect(called).toEqual(open)
    for (const name of Object.keys(open)) expect(await check('bea', `/rpc/${name}`)).toBe('passed')
  })

  it('calls nothing that is unknown, reads lists that are closed to it, or passes by another way of writing', async () => {
    const paths = ['/rpc/graphql', '/rpc/new_command', '/rpc/create%5Finvitation', '/rpc/CREATE_INVITATION']
    for (const path of paths) expect([path, await check('ann', path)]).toEqual([path, 'not_allowed'])
    expect(await check('ann', '/rpc/list_invitations', { reading: true })).toBe('not_allowed')
    expect(await check('ann', '/messages', { reading: true })).toBe('passed')
  })
})
