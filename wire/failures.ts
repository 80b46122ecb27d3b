/**
 * The errors of commands: `message` beside the HTTP status. `app/data/failures/failures.ts` has their sentences. A
 * name that is also the name of a constraint means that the constraint would be violated. Row-level security and
 * constraints themselves return PostgreSQL's own messages.
 */
export type FailureName =
  // 400: the request is invalid
  | 'attachments_at_most_ten'
  | 'bad_attachment'
  | 'bad_bookmark'
  | 'bad_command'
  | 'bad_command_url'
  | 'bad_cursor'
  | 'bad_emoji'
  | 'bad_expiry'
  | 'bad_emoji_image'
  | 'bad_emoji_name'
  | 'bad_extra'
  | 'bad_file_kind'
  | 'bad_filter'
  | 'bad_invitation'
  | 'bad_poll'
  | 'bad_quota'
  | 'bad_reason'
  | 'bad_reminder'
  | 'bad_retention'
  | 'bad_report'
  | 'bad_silence'
  | 'bad_state'
  | 'bad_webhook'
  | 'bad_push_subscription'
  | 'bots_description_length'
  | 'channel_members_role_known'
  | 'channels_description_length'
  | 'channels_kind_known'
  | 'channels_name_length'
  | 'channels_posting_known'
  | 'channels_topic_length'
  | 'command_text_length'
  | 'direct_too_many'
  | 'drafts_at_most_hundred'
  | 'email_address_invalid'
  | 'guest_needs_channel'
  | 'incoming_webhooks_name_length'
  | 'join_requests_note_length'
  | 'messages_body_length'
  | 'messages_not_empty'
  | 'not_a_poll'
  | 'not_a_thread'
  | 'other_address'
  | 'other_channel_name'
  | 'other_workspace_name'
  | 'poll_closes_in_the_past'
  | 'profiles_name_length'
  /** Anyone can get an address of this domain. */
  | 'public_mail_domain'
  | 'replies_at_most_500'
  | 'reminders_at_most_100'
  | 'saved_at_most_500'
  | 'scheduled_at_most_100'
  | 'scheduled_in_the_past'
  | 'scheduled_too_far'
  | 'too_many'
  | 'too_many_channels'
  | 'too_many_default_channels'
  | 'too_many_people'
  | 'too_many_threads'
  | 'user_groups_name_form'
  | 'user_groups_description_length'
  | 'workspace_domains_form'
  | 'workspace_members_role_known'
  | 'workspaces_name_length'
  // 401: the session was ended on another device
  | 'session_ended'
  // 403: the caller may not do this
  | 'bad_token'
  | 'bot_in_other_channels'
  /** A guest can't join yet. */
  | 'invitation_not_started'
  | 'invitation_other_email'
  | 'mention_everyone_not_allowed'
  /** More people could see messages, reactions or votes of others, and the rules for moving threads forbid this. */
  | 'move_reveals'
  | 'not_a_member'
  | 'not_allowed'
  | 'posting_admins'
  /** Guests may not send links in this workspace. */
  | 'links_by_members'
  /** The caller has blocked the other person of the conversation. */
  | 'person_blocked'
  | 'read_receipts_off'
  /** The caller does not share what they have read, so that they do not learn it of others. */
  | 'reads_not_shared'
  /** The caller may not write until a time, which is in the table `silences`. */
  | 'silenced'
  /** The interval of slow mode since the last message has not passed. */
  | 'slow_mode'
  | 'slow_mode_thread'
  /** The caller has a second factor, and this session has not verified it. */
  | 'second_factor_missing'
  /** The workspace requires a second factor, and the caller's account has none. */
  | 'second_factor_required'
  /** The command needs a session that has authenticated in the last 15 minutes. */
  | 'reauthentication_required'
  // 404: it does not exist, or the caller may not read it
  | 'invitation_invalid'
  | 'not_found'
  | 'sign_in_code_expired'
  // 409: conflicts with the current state
  /** Somebody has signed in to the account, or it belongs to another workspace too. */
  | 'account_in_use'
  /** Another account has the address. */
  | 'address_taken'
  | 'already_founded'
  | 'archived'
  | 'attachments_missing'
  | 'bot_not_in_channel'
  /** Its author did not know that anyone can read the channel on the web. */
  | 'channel_on_web'
  | 'channel_not_public'
  | 'channels_name_unique'
  | 'command_taken'
  | 'conflict'
  | 'email_address_missing'
  | 'emoji_name_standard'
  | 'emoji_name_taken'
  | 'group_name_taken'
  /** Another admin has decided it, or its account is gone. */
  | 'join_request_closed'
  /** The request was declined in the last 30 days. */
  | 'join_request_declined'
  /** 100 requests wait in the workspace. */
  | 'join_requests_full'
  /** The workspace would be without an owner. */
  | 'last_owner'
  /** The person is no active member, or cannot become one again. */
  | 'membership_ended'
  | 'message_deleted'
  | 'message_moved'
  /** An owner without a second factor cannot require one of others. */
  | 'own_second_factor_missing'
  /** More people can newly read the thread than the caller has accepted. */
  | 'move_readers'
  | 'poll_closed'
  | 'reactions_kinds'
  | 'report_closed'
  | 'too_many_blocks'
  | 'too_many_bots'
  | 'too_many_bookmarks'
  | 'too_many_channels_created'
  | 'too_many_commands'
  | 'too_many_domains'
  | 'too_many_emoji'
  | 'too_many_invitations'
  | 'too_many_join_requests'
  | 'too_many_reports'
  | 'too_many_group_members'
  | 'too_many_groups'
  | 'too_many_groups_of_person'
  /** The person is in 50 workspaces. */
  | 'too_many_memberships'
  | 'too_many_webhooks'
  /** The caller has created ten workspaces. */
  | 'too_many_workspaces'
  // 429: too many requests of one person
  | 'rate_limited'
  // 410: the invitation can no longer be used
  | 'invitation_expired'
  | 'invitation_revoked'
  | 'invitation_used'
  /** An invitation of a guest whose channels were all archived, deleted, or made inaccessible to its author. */
  | 'invitation_without_channels'
  // 413: from the storage service, when a file would exceed a quota
  | 'person_storage_full'
  | 'workspace_storage_full'
  // 403: from the storage service
  /** A person or workspace has 20 pictures that are not deleted yet. */
  | 'too_many_pictures'
