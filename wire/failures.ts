/**
 * Errors of commands: `message` beside the HTTP status; `app/data/failures/failures.ts` has their sentences. A name
 * that is also a constraint's means that it would be violated; row security and constraints themselves return
 * PostgreSQL's own messages instead.
 */
export type FailureName =
  // 400: the request is invalid
  | 'attachments_at_most_ten'
  | 'bad_attachment'
  | 'bad_bookmark'
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
  | 'bad_state'
  | 'bad_webhook'
  | 'bots_description_length'
  | 'channel_members_role_known'
  | 'channels_description_length'
  | 'channels_kind_known'
  | 'channels_name_length'
  | 'channels_posting_known'
  | 'channels_topic_length'
  | 'direct_too_many'
  | 'drafts_at_most_hundred'
  | 'email_address_invalid'
  | 'guest_needs_channel'
  | 'messages_body_length'
  | 'messages_not_empty'
  | 'not_a_poll'
  | 'not_a_thread'
  | 'poll_closes_in_the_past'
  | 'profiles_name_length'
  | 'replies_at_most_500'
  | 'saved_at_most_500'
  | 'too_many'
  | 'too_many_channels'
  | 'too_many_people'
  | 'too_many_threads'
  | 'workspaces_name_length'
  // 401: the session was ended on another device
  | 'session_ended'
  // 403: the caller may not do this
  | 'bad_token'
  | 'bot_in_other_channels'
  | 'invitation_other_email'
  /** More people could read the thread, and someone who wrote or reacted in it could not. */
  | 'move_reveals'
  | 'not_a_member'
  | 'not_allowed'
  | 'posting_admins'
  | 'read_receipts_off'
  /** The caller has a second factor, and this session hasn't shown it. */
  | 'second_factor_missing'
  // 404: it does not exist, or the caller may not read it
  | 'invitation_invalid'
  | 'not_found'
  // 409: conflicts with the current state
  | 'already_founded'
  | 'archived'
  | 'attachments_missing'
  | 'bot_not_in_channel'
  | 'channels_name_unique'
  | 'conflict'
  | 'emoji_name_standard'
  | 'emoji_name_taken'
  | 'message_deleted'
  | 'message_moved'
  /** More people can newly read the thread than the caller has accepted. */
  | 'move_readers'
  | 'poll_closed'
  | 'reactions_kinds'
  | 'too_many_bots'
  | 'too_many_bookmarks'
  | 'too_many_emoji'
  | 'too_many_webhooks'
  // 429: too many requests of one person
  | 'rate_limited'
  // 410: the invitation can no longer be used
  | 'invitation_expired'
  | 'invitation_revoked'
  | 'invitation_used'
  /** For guests: all its channels were archived, deleted, or made inaccessible to its author. */
  | 'invitation_without_channels'
  // 413: from the storage service, when a file would exceed a quota
  | 'person_storage_full'
  | 'workspace_storage_full'
