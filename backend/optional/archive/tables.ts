/**
 * What a column refers to. The import checks that the object belongs to the workspace, since a foreign key accepts also an object of
 * another workspace.
 */
export type Reference = 'workspace' | 'person' | 'channel' | 'message' | 'group' | 'invitation'

/** How a table of the schema `public` is archived. */
export interface ArchivedTable {
  name: string
  columns: readonly string[]
  /** Columns that only an archive with credentials has. */
  credentials: readonly string[]
  /** The columns that the import computes, each by an expression over the row `r` of the archive. */
  computed: Readonly<Record<string, string>>
  /** The columns of a key by which the import recognises a row that exists already. */
  key: readonly string[]
  /**
   * A condition on the row `t` that selects the rows of the workspace `$1`, in the channels of the table expression `exported`. It
   * follows from `references`.
   */
  within: string
  /** A further condition on the rows of an export for owners; `false` for rows that only one person reads. */
  ownerScope?: string
  /** The order in which the export reads the rows, and the import writes them. */
  order: string
  references: Readonly<Record<string, Reference>>
  /** Columns that an archive lacks, each with the reason. The import leaves them at their defaults. */
  omitted: Readonly<Record<string, string>>
  /** The row exists as soon as its channel or workspace does. The import sets its values. */
  isCounter?: true
}

const ofWorkspace = 't.workspace_id = $1'
const ofChannel = (column: string): string => `t.${column} in (select e.channel_id from exported e)`
const ofMessage = (column: string): string =>
  `exists (select from public.messages m join exported e on e.channel_id = m.channel_id where m.id = t.${column})`
const ofOnePerson = 'false'

interface Details {
  key?: readonly string[]
  within?: string
  order?: string
  references?: Readonly<Record<string, Reference>>
  credentials?: string
  computed?: Readonly<Record<string, string>>
  omitted?: Readonly<Record<string, string>>
  ownerScope?: string
  isCounter?: true
}

const table = (name: string, columns: string, details: Details = {}): ArchivedTable => {
  const {
    key = ['id'],
    within = ofWorkspace,
    references = {},
    computed = {},
    omitted = {},
    order = key.map((column) => `t.${column}`).join(', '),
  } = details
  const isOfWorkspace = within === ofWorkspace
  return {
    name,
    columns: columns.split(' '),
    credentials: details.credentials?.split(' ') ?? [],
    computed,
    key,
    within,
    order,
    references: isOfWorkspace ? { workspace_id: 'workspace', ...references } : references,
    omitted,
    ...(details.ownerScope === undefined ? {} : { ownerScope: details.ownerScope }),
    ...(details.isCounter ? { isCounter: true as const } : {}),
  }
}

const revisionNote = 'numbers changes for clients of one server'
const jobNote = 'the import adds the job again: see startWaitingRows'
/** Without credentials nobody knows the secret whose hash a row has. */
const newTokenHash = 'coalesce(r.token_hash, app.hash_token(app.random_token()))'

/**
 * The archived tables, in the order in which the import writes them: each after the tables that it refers to. Memberships come after
 * the messages, so that nobody can open a new workspace before its content is complete.
 */
export const archivedTables: readonly ArchivedTable[] = [
  table(
    'profiles',
    'id kind name is_erased pronouns title time_zone avatar status_emoji status_text status_expires_at presence presence_until created_at',
    {
      within: `(exists (select from public.workspace_members w where w.profile_id = t.id and w.workspace_id = $1)
      or exists (select from public.messages m join exported e on e.channel_id = m.channel_id where m.author_id = t.id)
      or exists (select from public.imported_people i where i.profile_id = t.id and i.workspace_id = $1))`,
      references: {},
      omitted: {
        user_id: 'the archive has accounts by their addresses: see the table accounts',
        second_factor: 'derived from the factors of the account',
        workspace_ids: 'derived from workspace_members',
      },
    },
  ),
  table(
    'workspaces',
    'id name icon language channels_by invitations_by mention_everyone_by deletions_by edit_history_by custom_emoji_by groups_by web_channels_by guest_links open_requests read_receipts link_previews created_by created_at second_factor_from reauthentication allows_private_export private_export_from',
    {
      within: 't.id = $1',
      references: { id: 'workspace', created_by: 'person' },
      omitted: {
        rev: revisionNote,
        emoji_version: revisionNote,
        groups_version: revisionNote,
        deletes_at: 'a requested deletion concerns the original only',
      },
    },
  ),
  table(
    'imports',
    'id workspace_id product source_name imported_by started_at finished_at receipt undone_at undone_by removed_at',
    { references: { imported_by: 'person', undone_by: 'person' } },
  ),
  table('imported_people', 'profile_id workspace_id import_id email claimed_by claimed_at merged_at', {
    key: ['profile_id'],
    references: { profile_id: 'person', claimed_by: 'person' },
  }),
  table('workspace_storage', 'workspace_id max_bytes max_bytes_per_person', {
    key: ['workspace_id'],
    omitted: { used_bytes: 'counted when files are stored' },
    isCounter: true,
  }),
  table('bots', 'profile_id workspace_id description responsible_id created_at', {
    key: ['profile_id'],
    credentials: 'token_created_at token_expires_at token_created_by',
    references: { profile_id: 'person', responsible_id: 'person', token_created_by: 'person' },
  }),
  table('bot_commands', 'id bot_id workspace_id name description hint url enabled created_by created_at', {
    references: { bot_id: 'person', created_by: 'person' },
  }),
  table('user_groups', 'id workspace_id name description created_by created_at archived_at', {
    references: { created_by: 'person' },
  }),
  table(
    'channels',
    'id workspace_id kind name topic description posting slow_seconds direct_key archived_at web_since web_after_seq first_seq deleted_at deleted_by created_by created_at web_files_after_seq import_id',
    { ownerScope: ofChannel('id'), references: { created_by: 'person', deleted_by: 'person' } },
  ),
  table('channel_counters', 'channel_id last_seq rev meta_rev last_at', {
    key: ['channel_id'],
    within: ofChannel('channel_id'),
    references: { channel_id: 'channel' },
    omitted: {
      change_id: 'identifies a change on one server',
      previous_change_id: 'identifies a change on one server',
      epoch: 'names a topic of one server',
      epoch_transaction: 'a transaction of one server',
    },
    isCounter: true,
  }),
  table(
    'messages',
    'id channel_id kind seq thread_root thread_seq last_thread_seq reply_count reply_people last_reply_at history_seq rev author_id body system created_at edited_at deleted_at extras',
    {
      within: ofChannel('channel_id'),
      order: 't.channel_id, t.history_seq, t.thread_seq nulls first, t.id',
      references: { channel_id: 'channel', author_id: 'person', thread_root: 'message' },
      omitted: { broadcast_at: 'names a broadcast of one server' },
    },
  ),
  table('message_revisions', 'message_id rev body written_at', {
    ownerScope: `(select w.edit_history_by <> 'authors' from public.workspaces w where w.id = $1)`,
    key: ['message_id', 'rev'],
    within: ofMessage('message_id'),
    references: { message_id: 'message' },
  }),
  table('attachments', 'message_id upload_id upload_channel_id position name type size width height thumb', {
    key: ['message_id', 'upload_id'],
    within: ofMessage('message_id'),
    // A file that was forwarded from a private channel belongs to this channel.
    ownerScope: ofChannel('upload_channel_id'),
    order: 't.message_id, t.position',
    references: { message_id: 'message', upload_channel_id: 'channel' },
  }),
  table('mentions', 'message_id channel_id kind profile_id group_id author_id seq thread_root thread_seq', {
    key: ['message_id', 'kind', 'profile_id', 'group_id'],
    within: ofMessage('message_id'),
    order: 't.message_id, t.kind, t.profile_id, t.group_id',
    references: {
      message_id: 'message',
      channel_id: 'channel',
      author_id: 'person',
      profile_id: 'person',
      group_id: 'group',
    },
    omitted: { id: 'has no meaning outside of the table', created_at: 'derived from the message' },
  }),
  table('reactions', 'message_id emoji profile_id created_at', {
    key: ['message_id', 'emoji', 'profile_id'],
    within: ofMessage('message_id'),
    order: 't.message_id, t.position',
    references: { message_id: 'message', profile_id: 'person' },
    omitted: {
      message_author_id: 'derived from the message',
      position: 'follows from the order of the rows',
    },
  }),
  table('pins', 'message_id channel_id pinned_by pinned_at', {
    key: ['message_id'],
    within: ofMessage('message_id'),
    references: { message_id: 'message', channel_id: 'channel', pinned_by: 'person' },
  }),
  table('file_texts', 'upload_id upload_channel_id passages folded words words_version', {
    key: ['upload_id', 'upload_channel_id'],
    within: ofChannel('upload_channel_id'),
    references: { upload_channel_id: 'channel' },
  }),
  table(
    'channel_bookmarks',
    'id channel_id position title url upload_channel_id upload_id author_id created_at',
    {
      within: ofChannel('channel_id'),
      references: { channel_id: 'channel', upload_channel_id: 'channel', author_id: 'person' },
    },
  ),
  table('custom_emoji', 'id workspace_id name aliases author_id created_at import_id', {
    references: { author_id: 'person' },
  }),
  table('default_channels', 'workspace_id channel_id', {
    key: ['channel_id'],
    ownerScope: ofChannel('channel_id'),
    references: { channel_id: 'channel' },
  }),
  table(
    'incoming_webhooks',
    'id bot_id channel_id created_by created_at used_at name emoji notifies_everyone',
    {
      within: ofChannel('channel_id'),
      credentials: 'token_hash',
      computed: { token_hash: newTokenHash },
      references: { channel_id: 'channel', bot_id: 'person', created_by: 'person' },
    },
  ),
  table(
    'outgoing_webhooks',
    'id bot_id channel_id url words created_by created_at delivered_at failures disabled_at problem',
    {
      within: ofChannel('channel_id'),
      references: { channel_id: 'channel', bot_id: 'person', created_by: 'person' },
    },
  ),
  table(
    'invitations',
    'id workspace_id role access_days email mail_state invited_by max_uses uses expires_at revoked_at created_at starts_at',
    {
      credentials: 'token_hash',
      computed: {
        token_hash: newTokenHash,
        // A link that leads nowhere is no open invitation. An invitation by mail can be sent again.
        revoked_at: `case when r.token_hash is null and r.mail_state is null and r.uses < r.max_uses
          then coalesce(r.revoked_at, now()) else r.revoked_at end`,
        mail_state: `case when r.mail_state = 'queued' or r.token_hash is null and r.mail_state = 'sent'
          and r.uses < r.max_uses and r.revoked_at is null then 'failed' else r.mail_state end`,
      },
      references: { invited_by: 'person' },
    },
  ),
  table('invitation_channels', 'invitation_id channel_id', {
    key: ['invitation_id', 'channel_id'],
    within: ofChannel('channel_id'),
    references: { channel_id: 'channel', invitation_id: 'invitation' },
  }),
  table('workspace_domains', 'workspace_id domain admission created_at', { key: ['workspace_id', 'domain'] }),
  table('retention_rules', 'id workspace_id scope channel_id keep keep_days starts_at', {
    ownerScope: `(t.channel_id is null or ${ofChannel('channel_id')})`,
    references: { channel_id: 'channel' },
  }),
  table('retention_chains', 'workspace_id', {
    key: ['workspace_id'],
    omitted: { last_number: 'derived from the receipts', last_hash: 'derived from the receipts' },
  }),
  // The import writes them by a rule of its own: a trigger numbers and chains each row.
  table(
    'retention_receipts',
    'workspace_id number deleted_at channel_id from_seq until_seq messages files bytes sent_before scope keep_days previous_hash hash',
    { key: ['workspace_id', 'number'] },
  ),
  table(
    'workspace_members',
    'workspace_id profile_id role state expires_at deactivated_at ended created_at is_paused',
    {
      key: ['workspace_id', 'profile_id'],
      order: 't.number',
      references: { profile_id: 'person' },
      omitted: {
        number: 'follows from the order of the rows',
        access_ends_at: 'derived from the other columns',
        second_factor_due: 'derived from the rule of the workspace and the factors of the account',
      },
    },
  ),
  table('member_addresses', 'workspace_id profile_id address noted_at', {
    ownerScope: ofOnePerson,
    key: ['workspace_id', 'profile_id', 'address'],
    references: { profile_id: 'person' },
  }),
  table('silences', 'workspace_id profile_id until reason created_at', {
    key: ['workspace_id', 'profile_id'],
    references: { profile_id: 'person' },
  }),
  table('user_group_members', 'group_id workspace_id profile_id created_at', {
    key: ['profile_id', 'group_id'],
    references: { profile_id: 'person', group_id: 'group' },
  }),
  table('channel_members', 'channel_id profile_id role history_from_seq expires_at created_at', {
    key: ['channel_id', 'profile_id'],
    within: ofChannel('channel_id'),
    references: { channel_id: 'channel', profile_id: 'person' },
    omitted: { workspace_id: 'derived from the channel' },
  }),
  table('channel_removals', 'channel_id profile_id removed_at', {
    key: ['channel_id', 'profile_id'],
    within: ofChannel('channel_id'),
    references: { channel_id: 'channel', profile_id: 'person' },
  }),
  table('sections', 'id workspace_id profile_id name position collapsed created_at', {
    ownerScope: ofOnePerson,
    key: ['profile_id', 'id'],
    references: { profile_id: 'person' },
    omitted: { rev: revisionNote },
  }),
  table(
    'channel_member_state',
    'channel_id profile_id last_read_seq read_version notify muted starred hidden section_id position',
    {
      ownerScope: ofOnePerson,
      key: ['channel_id', 'profile_id'],
      within: ofChannel('channel_id'),
      references: { channel_id: 'channel', profile_id: 'person' },
      omitted: { rev: revisionNote },
    },
  ),
  table('thread_members', 'root_id profile_id follows last_read_thread_seq read_version marked_at', {
    ownerScope: ofOnePerson,
    key: ['root_id', 'profile_id'],
    within: ofMessage('root_id'),
    references: { root_id: 'message', profile_id: 'person' },
  }),
  table('activity_markers', 'workspace_id profile_id seen_at', {
    ownerScope: ofOnePerson,
    key: ['workspace_id', 'profile_id'],
    references: { profile_id: 'person' },
  }),
  table(
    'notification_preferences',
    'workspace_id profile_id level keywords quiet_days quiet_from quiet_to time_zone may_interrupt mail mail_language shares_reads',
    {
      ownerScope: ofOnePerson,
      key: ['profile_id', 'workspace_id'],
      references: { profile_id: 'person' },
      omitted: { keyword_patterns: 'derived from keywords' },
    },
  ),
  table('saved_messages', 'profile_id message_id channel_id state saved_at', {
    ownerScope: ofOnePerson,
    key: ['profile_id', 'message_id'],
    within: ofMessage('message_id'),
    references: { profile_id: 'person', message_id: 'message', channel_id: 'channel' },
    omitted: { rev: revisionNote },
  }),
  table('saved_searches', 'id workspace_id profile_id name query', {
    ownerScope: ofOnePerson,
    key: ['profile_id', 'id'],
    references: { profile_id: 'person' },
    omitted: { rev: revisionNote },
  }),
  table('drafts', 'id profile_id channel_id thread_root body quote_id change_id changed_at', {
    ownerScope: ofOnePerson,
    key: ['profile_id', 'id'],
    within: ofChannel('channel_id'),
    references: { profile_id: 'person', channel_id: 'channel', thread_root: 'message' },
    omitted: { rev: revisionNote },
  }),
  table(
    'scheduled_messages',
    'id profile_id channel_id thread_root also_to_channel on_web body files quote_id send_at problem',
    {
      ownerScope: ofOnePerson,
      key: ['profile_id', 'id'],
      within: ofChannel('channel_id'),
      // A message that is not waiting has a problem.
      computed: { problem: `coalesce(r.problem, 'scheduled_in_the_past')` },
      references: { profile_id: 'person', channel_id: 'channel', thread_root: 'message' },
      omitted: { job_id: jobNote, rev: revisionNote },
    },
  ),
  table(
    'reminders',
    'id workspace_id profile_id text message_id channel_id due_at time_zone repeats starts_at reminded_at',
    {
      ownerScope: ofOnePerson,
      key: ['profile_id', 'id'],
      // A reminder that is not waiting is due.
      computed: { reminded_at: 'coalesce(r.reminded_at, r.due_at)' },
      references: { profile_id: 'person', message_id: 'message', channel_id: 'channel' },
      omitted: { job_id: jobNote, rev: revisionNote },
    },
  ),
  table(
    'reports',
    'id workspace_id reporter_id author_id channel_id message_id channel_kind note snapshot state handler_id outcome created_at closed_at',
    {
      // An owner does not see who has reported his own messages.
      ownerScope: 'false',
      references: {
        reporter_id: 'person',
        author_id: 'person',
        channel_id: 'channel',
        message_id: 'message',
        handler_id: 'person',
      },
    },
  ),
  table('audit_log', 'id workspace_id recorded_at actor_id action target reason', {
    order: 't.recorded_at, t.id',
    // As list_audit_log: what happens in a private channel is for the people who read it, and reports are not for the author.
    ownerScope: `t.action not like 'report.%' and (not t.target ? 'channel_id' or t.target ->> 'kind' = 'public')`,
  }),
]

/** The tables that are not archived, each with the reason. `docs/archive.md` describes what becomes of them. */
export const otherTables: Readonly<Record<string, string>> = {
  account_deletions: 'a requested deletion concerns the original only',
  application_grants: 'belongs to an application that is registered with one server',
  blocks: 'concerns two people in all their workspaces',
  channel_storage: 'counted when files are stored',
  command_invocations: 'has tokens of requests in progress',
  command_responses: 'has responses of requests in progress',
  device_sign_ins: 'has codes of sign-ins in progress',
  ended_memberships: 'a message for the people of one server',
  ended_sessions: 'a message for the devices of one server',
  file_deletion_queue: 'has work of one server',
  heartbeats: 'has the devices that are connected to one server',
  jobs: 'has work of one server',
  join_requests: 'waits for a decision of the original',
  link_previews: 'is fetched again when a message is sent',
  listed_files: 'derived from attachments',
  mail_deliveries: 'has work of one server',
  mail_messages: 'has work of one server',
  message_changes: 'derived from messages',
  message_edits: 'recognises repeated requests to one server',
  message_previews: 'belongs to a link preview',
  message_search: 'derived from messages',
  person_storage: 'counted when files are stored',
  presence: 'has the devices that are connected to one server',
  presence_changes: 'has the devices that are connected to one server',
  push_subscriptions: 'has addresses of devices, which belong to the keys of one server',
  rate_limits: 'counts requests to one server',
  recovery_codes: 'an archive with credentials has them in the table accounts',
  restores: 'concerns one server',
  search_segments: 'derived from messages',
  search_vocabulary: 'derived from messages',
  server_checks: 'concerns one server',
  settings: 'concerns one server',
  sign_up_requests: 'waits for the owner of a mail address',
  slow_mode_messages: 'is forgotten after at most six hours',
  stored_files: 'counted when files are stored',
  workspace_counters: 'numbers changes for clients of one server',
}

export const findArchivedTable = (name: string): ArchivedTable | undefined =>
  archivedTables.find((table) => table.name === name)
