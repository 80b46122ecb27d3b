import { i18n } from '@lingui/core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FailureName } from '../../../wire/failures.ts'
import '../account/accountDeletion.ts'
import '../channels/bookmarks.ts'
import '../client/reauthentication.ts'
import '../emoji/changeEmoji.ts'
import './channelFailures.ts'
import '../messages/seenBy.ts'
import '../moderation/moderation.ts'
import '../moderation/ownSilence.ts'
import './joiningFailures.ts'
import '../files/listing/fileList.ts'
import '../sidebar/sidebarCommands.ts'
import { quotaFailure } from '../files/upload/fileFailures.ts'
import '../messages/draftChanges.ts'
import '../messages/moveThread.ts'
import '../messages/polls.ts'
import '../messages/savedMessages.ts'
import '../messages/reminders.ts'
import '../messages/scheduledMessages.ts'
import '../bots/bots.ts'
import '../messages/botCommands.ts'
import '../userGroups/userGroupFailures.ts'
import '../administration/joining.ts'
import '../workspaces/joinWorkspaces.ts'
import '../administration/retention.ts'
import '../administration/storageUsage.ts'
import { failureFrom, createFailure } from './failures.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const NAMES: Record<FailureName, true> = {
  attachments_at_most_ten: true,
  bad_attachment: true,
  bad_bookmark: true,
  bad_command: true,
  bad_command_url: true,
  bad_cursor: true,
  bad_filter: true,
  bad_emoji: true,
  bad_expiry: true,
  bad_emoji_image: true,
  bad_emoji_name: true,
  bad_extra: true,
  bad_file_kind: true,
  bad_invitation: true,
  incoming_webhooks_name_length: true,
  join_requests_note_length: true,
  public_mail_domain: true,
  too_many_default_channels: true,
  workspace_domains_form: true,
  join_request_closed: true,
  join_request_declined: true,
  join_requests_full: true,
  too_many_domains: true,
  too_many_join_requests: true,
  bad_poll: true,
  bad_quota: true,
  bad_reason: true,
  bad_report: true,
  bad_silence: true,
  bad_state: true,
  bad_webhook: true,
  bad_push_subscription: true,
  bots_description_length: true,
  channel_members_role_known: true,
  channels_description_length: true,
  channels_kind_known: true,
  channels_name_length: true,
  channels_posting_known: true,
  channels_topic_length: true,
  command_text_length: true,
  direct_too_many: true,
  drafts_at_most_hundred: true,
  saved_at_most_500: true,
  reminders_at_most_100: true,
  bad_reminder: true,
  bad_retention: true,
  scheduled_at_most_100: true,
  scheduled_in_the_past: true,
  scheduled_too_far: true,
  email_address_invalid: true,
  address_taken: true,
  other_address: true,
  account_in_use: true,
  guest_needs_channel: true,
  messages_body_length: true,
  messages_not_empty: true,
  not_a_poll: true,
  not_a_thread: true,
  poll_closes_in_the_past: true,
  profiles_name_length: true,
  too_many: true,
  too_many_channels: true,
  too_many_channels_created: true,
  too_many_invitations: true,
  too_many_people: true,
  too_many_threads: true,
  user_groups_description_length: true,
  user_groups_name_form: true,
  workspace_members_role_known: true,
  workspaces_name_length: true,
  last_owner: true,
  membership_ended: true,
  mention_everyone_not_allowed: true,
  other_channel_name: true,
  other_workspace_name: true,
  session_ended: true,
  sign_in_code_expired: true,
  email_address_missing: true,
  bad_token: true,
  bot_in_other_channels: true,
  invitation_not_started: true,
  invitation_other_email: true,
  silenced: true,
  slow_mode: true,
  slow_mode_thread: true,
  links_by_members: true,
  person_blocked: true,
  too_many_blocks: true,
  not_a_member: true,
  not_allowed: true,
  posting_admins: true,
  read_receipts_off: true,
  reads_not_shared: true,
  second_factor_missing: true,
  reauthentication_required: true,
  second_factor_required: true,
  own_second_factor_missing: true,
  invitation_invalid: true,
  not_found: true,
  already_founded: true,
  archived: true,
  attachments_missing: true,
  bot_not_in_channel: true,
  channel_on_web: true,
  channel_not_public: true,
  channels_name_unique: true,
  command_taken: true,
  conflict: true,
  emoji_name_standard: true,
  emoji_name_taken: true,
  group_name_taken: true,
  message_deleted: true,
  message_moved: true,
  move_readers: true,
  move_reveals: true,
  replies_at_most_500: true,
  poll_closed: true,
  reactions_kinds: true,
  too_many_bots: true,
  too_many_bookmarks: true,
  too_many_commands: true,
  too_many_emoji: true,
  too_many_group_members: true,
  too_many_groups: true,
  too_many_groups_of_person: true,
  too_many_memberships: true,
  too_many_webhooks: true,
  too_many_workspaces: true,
  invitation_expired: true,
  invitation_revoked: true,
  invitation_used: true,
  invitation_without_channels: true,
  rate_limited: true,
  report_closed: true,
  too_many_reports: true,
  person_storage_full: true,
  workspace_storage_full: true,
  too_many_pictures: true,
}

const schemas = import.meta.glob<string>('../../../supabase/schemas/*/*.sql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** Those that get a sentence by their status alone. */
function speechless(names: string[]): string[] {
  const fallback = createFailure('no_such_name').message
  return names.filter((name) => createFailure(name).message === fallback)
}

describe('failures', () => {
  it('has a sentence for every name of a command', () => {
    expect(speechless(['no_such_name', ...Object.keys(NAMES)])).toEqual(['no_such_name'])
  })

  it('has a sentence for whatever the schema refuses by name', () => {
    const refused = new Set<string>()
    for (const sql of Object.values(schemas)) {
      for (const [, name] of sql.matchAll(/message = '([a-z_]+)'/g)) refused.add(name!)
      // What people change by plain updates is held by constraints alone.
      for (const [, name] of sql.matchAll(/constraint ((?:sections|channel_member_state)_\w+) check/g))
        refused.add(name!)
      for (const [, name] of sql.matchAll(/constraint (profiles_(?:name|status|presence)_\w+) check/g))
        refused.add(name!)
    }
    expect(refused.size).toBeGreaterThan(40)
    expect(speechless([...refused])).toEqual([])
  })

  it('finds the constraint in an error message of PostgreSQL', () => {
    const error = {
      code: '23505',
      message: 'duplicate key value violates unique constraint "channels_name_unique"',
    }
    expect(failureFrom(error, 409)).toMatchObject({ name: 'channels_name_unique', isRetryable: false })
  })

  it('reads the errors of auth, storage and the network', () => {
    expect(failureFrom({ name: 'AuthApiError', code: 'otp_expired', status: 403 }).name).toBe('otp_expired')
    expect(
      failureFrom({ error: 'Payload too large', statusCode: '413', message: 'too large' }).isRetryable,
    ).toBe(false)
    expect(failureFrom(new TypeError('Failed to fetch'))).toMatchObject({
      name: 'network',
      isRetryable: true,
    })
    expect(failureFrom({ message: 'TypeError: Failed to fetch', code: '' }, 0).name).toBe('network')
    expect(failureFrom({ code: '', message: 'AbortError: signal timed out' }, 0).name).toBe('network')
  })

  it('tries again where the server stumbles, not where it refuses', () => {
    expect(failureFrom({ code: '57P01', message: 'terminating' }, 503).isRetryable).toBe(true)
    expect(failureFrom({ code: '42501', message: 'denied' }, 403).isRetryable).toBe(false)
    expect(failureFrom({ code: 'x', message: 'y' }, 429).isRetryable).toBe(true)
    const limited = { code: 'PT429', message: 'rate_limited', details: null, hint: null }
    expect(failureFrom(limited, 429)).toMatchObject({ name: 'rate_limited', isRetryable: true })
    expect(failureFrom({ code: 'PGRST303', message: 'JWT expired' }, 401).isRetryable).toBe(true)
  })

  it('finds a quota in the response of the storage service', () => {
    expect(quotaFailure('person_storage_full')).toMatchObject({
      name: 'person_storage_full',
      isRetryable: false,
    })
    const body = '{"statusCode":"413","error":"Payload too large","message":"workspace_storage_full"}'
    expect(quotaFailure(body)?.message).toContain('out of file storage')
    expect(quotaFailure('Maximum size exceeded\n')).toBeNull()
  })

  it('names the failure of the sign-up hook', () => {
    const hookError = { message: 'This Linnet is by invitation. Ask someone.', status: 403, code: 'hook' }
    expect(failureFrom(hookError).name).toBe('sign_up_by_invitation')
  })
})
