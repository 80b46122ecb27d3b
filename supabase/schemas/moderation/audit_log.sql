-- The audit log of a workspace: who changed what. Triggers record changes of the tables that decide about rights, so that
-- no way of changing them is missed; commands record by app.record_action what no table shows. Decision 48 gives the
-- reasons.

-- Table ------------------------------------------------------------------------------------------------

create table public.audit_log (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  -- Clock time, so that entries of one transaction keep their order.
  recorded_at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  action text not null
    constraint audit_log_action_form check (action ~ '^[a-z][a-z_]{0,38}\.[a-z][a-z_]{0,38}$'),
  target jsonb not null default '{}'
    constraint audit_log_target_size check (octet_length(target::text) <= 4000),
  reason text
    constraint audit_log_reason_length check (char_length(reason) between 1 and 500)
    constraint audit_log_reason_legible check (app.is_legible(reason))
);
create index audit_log_newest on public.audit_log (workspace_id, recorded_at, id);
create index audit_log_actor on public.audit_log (workspace_id, actor_id, recorded_at, id);
create index audit_log_action on public.audit_log (workspace_id, action, recorded_at, id);
comment on table public.audit_log is
  'Who changed what in a workspace. Only appended to: a trigger refuses every other change, and entries end with their '
  'workspace. Read by list_audit_log. No access for clients.';
comment on column public.audit_log.actor_id is
  'The profile whose session changed it; null for the server itself. Without a foreign key, which would change entries.';
comment on column public.audit_log.target is
  'Ids, and values before and after; never texts of messages, addresses or secrets.';
alter table public.audit_log enable row level security;
revoke all on public.audit_log from public, anon, authenticated, service_role;
grant select on public.audit_log to service_role;

create trigger audit_log_is_append_only before update or delete on public.audit_log
  for each row execute function app.refuse_record_change();
comment on trigger audit_log_is_append_only on public.audit_log is
  'A trigger, since privileges do not bind the owner of the table, with whose rights commands run.';
create trigger audit_log_is_not_truncated before truncate on public.audit_log
  for each statement execute function app.refuse_record_change();
comment on trigger audit_log_is_not_truncated on public.audit_log is 'TRUNCATE fires no row triggers.';

-- Recording --------------------------------------------------------------------------------------------

create function app.record_action(
  p_workspace_id uuid, p_action text, p_target jsonb default '{}', p_reason text default null
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.is_importing() then return; end if;
  -- Rows that are deleted with their workspace fire triggers too.
  insert into public.audit_log (workspace_id, actor_id, action, target, reason)
  select w.id, case when current_setting('linnet.is_automatic', true) is distinct from 'true' then app.my_profile_id() end,
    p_action, coalesce(p_target, '{}'), nullif(left(btrim(p_reason), 500), '')
  from public.workspaces w where w.id = p_workspace_id;
end
$$;
comment on function app.record_action is
  'Adds an entry to the audit log. The action is "subject.verb" in past tense; the target has ids, and values as `from` and '
  '`to`. The actor is the caller, or null for the server, also while `linnet.is_automatic` is true.';

create function app.changed_values(before jsonb, after jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_object_agg(n.key, jsonb_build_object('from', before -> n.key, 'to', n.value)), '{}')
  from jsonb_each(after) n where n.value is distinct from before -> n.key
$$;
comment on function app.changed_values is 'The keys whose values differ, each with `from` and `to`.';

create function app.record_member_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  member constant public.workspace_members := case when tg_op = 'DELETE' then old else new end;
  subject constant text := case when exists (
    select from public.profiles p where p.id = member.profile_id and p.kind = 'bot') then 'bot' else 'member' end;
  target constant jsonb := jsonb_build_object('profile_id', member.profile_id);
begin
  if tg_op = 'INSERT' then
    perform app.record_action(member.workspace_id, case subject when 'bot' then 'bot.created' else 'member.added' end,
      target || jsonb_strip_nulls(jsonb_build_object('role', member.role, 'expires_at', member.expires_at)));
  elsif tg_op = 'DELETE' then
    perform app.record_action(member.workspace_id, subject || '.removed', target);
  else
    if new.role <> old.role then
      perform app.record_action(member.workspace_id, 'member.role_changed',
        target || jsonb_build_object('from', old.role, 'to', new.role));
    end if;
    if new.state <> old.state or new.ended is not null and new.ended is distinct from old.ended then
      perform app.record_action(member.workspace_id, case
        when new.state = 'active' then 'member.reactivated'
        when subject = 'bot' then 'bot.ended'
        when new.ended is not null then 'member.' || new.ended
        when new.deactivated_at = new.expires_at then 'member.expired'
        else 'member.deactivated' end, target);
    end if;
    if new.expires_at is distinct from old.expires_at then
      perform app.record_action(member.workspace_id, 'member.expiry_changed',
        target || jsonb_build_object('from', old.expires_at, 'to', new.expires_at));
    end if;
  end if;
  return null;
end
$$;
comment on function app.record_member_change is 'Records who became a member, with which role, and whose membership ended.';
create trigger member_changes_are_recorded after insert or delete or update of role, state, expires_at
  on public.workspace_members for each row execute function app.record_member_change();
comment on trigger member_changes_are_recorded on public.workspace_members is
  'A trigger, since invitations, succession and expiry change members too.';

create function app.record_workspace_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- Each column that is added later is recorded too, without a change here.
  unrecorded constant text[] := array['id', 'name', 'created_at', 'rev', 'emoji_version', 'groups_version',
    'second_factor_from', 'private_export_from'];
  changed constant jsonb := app.changed_values(to_jsonb(old) - unrecorded, to_jsonb(new) - unrecorded);
begin
  if new.name <> old.name then
    perform app.record_action(new.id, 'workspace.renamed', jsonb_build_object('from', old.name, 'to', new.name));
  end if;
  if new.second_factor_from is distinct from old.second_factor_from then
    perform app.record_action(new.id, case
      when new.second_factor_from is null then 'workspace.second_factor_optional'
      else 'workspace.second_factor_required' end,
      jsonb_build_object('from', old.second_factor_from, 'to', new.second_factor_from));
  end if;
  if changed <> '{}' then perform app.record_action(new.id, 'workspace.options_changed', changed); end if;
  return null;
end
$$;
comment on function app.record_workspace_change is 'Records the name and the options of a workspace.';
create trigger workspace_changes_are_recorded after update on public.workspaces
  for each row execute function app.record_workspace_change();
comment on trigger workspace_changes_are_recorded on public.workspaces is 'For each command that changes an option.';

create function app.record_quota_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.record_action(new.workspace_id, 'workspace.quotas_changed',
    app.changed_values(to_jsonb(old) - 'used_bytes', to_jsonb(new) - 'used_bytes'));
  return null;
end
$$;
comment on function app.record_quota_change is 'Records the quotas of a workspace.';
create trigger quota_changes_are_recorded after update on public.workspace_storage
  for each row when ((old.max_bytes, old.max_bytes_per_person) is distinct from (new.max_bytes, new.max_bytes_per_person))
  execute function app.record_quota_change();
comment on trigger quota_changes_are_recorded on public.workspace_storage is 'Not for bytes that are counted.';

create function app.record_invitation_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target constant jsonb := jsonb_build_object('invitation_id', new.id);
begin
  if tg_op = 'INSERT' then
    -- Without the address: it is personal data, and no entry is ever deleted.
    perform app.record_action(new.workspace_id, 'invitation.created', target || jsonb_build_object('role', new.role,
      'max_uses', new.max_uses, 'expires_at', new.expires_at));
  elsif new.revoked_at is not null and old.revoked_at is null then
    perform app.record_action(new.workspace_id, 'invitation.revoked', target);
  elsif new.uses > old.uses then
    perform app.record_action(new.workspace_id, 'invitation.accepted', target);
  end if;
  return null;
end
$$;
comment on function app.record_invitation_change is 'Records who created, revoked or accepted an invitation.';
create trigger invitation_changes_are_recorded after insert or update of revoked_at, uses on public.invitations
  for each row execute function app.record_invitation_change();
comment on trigger invitation_changes_are_recorded on public.invitations is 'For each way of inviting.';

create function app.record_bot_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target constant jsonb := jsonb_build_object('profile_id', new.profile_id);
begin
  if new.responsible_id is distinct from old.responsible_id then
    perform app.record_action(new.workspace_id, 'bot.responsible_changed',
      target || jsonb_build_object('from', old.responsible_id, 'to', new.responsible_id));
  end if;
  if new.token_created_at is distinct from old.token_created_at then
    perform app.record_action(new.workspace_id,
      case when new.token_created_at is null then 'bot.token_ended' else 'bot.token_created' end,
      target || jsonb_strip_nulls(jsonb_build_object('expires_at', new.token_expires_at)));
  end if;
  return null;
end
$$;
comment on function app.record_bot_change is 'Records the tokens of a bot and who is responsible for it.';
create trigger bot_changes_are_recorded after update on public.bots
  for each row execute function app.record_bot_change();
comment on trigger bot_changes_are_recorded on public.bots is 'Creation and end are recorded with the membership.';

create function app.record_webhook_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  was constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  is_now constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  webhook constant jsonb := coalesce(is_now, was);
begin
  perform app.record_action(b.workspace_id, case
      when tg_op = 'INSERT' then 'webhook.created' when tg_op = 'DELETE' then 'webhook.ended'
      when is_now -> 'token_hash' <> was -> 'token_hash' then 'webhook.renewed'
      when tg_table_name = 'incoming_webhooks' then 'webhook.changed'
      when is_now ->> 'disabled_at' is null then 'webhook.enabled' else 'webhook.disabled' end,
    jsonb_build_object('webhook_id', webhook -> 'id', 'profile_id', webhook -> 'bot_id',
      'channel_id', webhook -> 'channel_id', 'direction', split_part(tg_table_name, '_', 1)))
  from public.bots b where b.profile_id = (webhook ->> 'bot_id')::uuid;
  return null;
end
$$;
comment on function app.record_webhook_change is
  'Records who created, renewed, changed, enabled or ended a webhook, of either direction; without its secret and address.';
create trigger incoming_webhooks_are_recorded after insert or delete or update of token_hash on public.incoming_webhooks
  for each row execute function app.record_webhook_change();
comment on trigger incoming_webhooks_are_recorded on public.incoming_webhooks is 'Not for their use.';
create trigger changed_webhooks_are_recorded after update of name, emoji, notifies_everyone on public.incoming_webhooks
  for each row when ((old.name, old.emoji, old.notifies_everyone) is distinct from (new.name, new.emoji, new.notifies_everyone))
  execute function app.record_webhook_change();
comment on trigger changed_webhooks_are_recorded on public.incoming_webhooks is
  'A webhook that may notify everyone concerns the whole workspace.';
create trigger outgoing_webhooks_are_recorded after insert or delete on public.outgoing_webhooks
  for each row execute function app.record_webhook_change();
comment on trigger outgoing_webhooks_are_recorded on public.outgoing_webhooks is 'Not for their deliveries.';
create trigger disabled_webhooks_are_recorded after update of disabled_at on public.outgoing_webhooks
  for each row when ((old.disabled_at is null) <> (new.disabled_at is null))
  execute function app.record_webhook_change();
comment on trigger disabled_webhooks_are_recorded on public.outgoing_webhooks is
  'Without an actor: the server, after failed deliveries.';

create function app.record_bot_command_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  command constant public.bot_commands := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.record_action(command.workspace_id, case tg_op
      when 'INSERT' then 'command.created' when 'DELETE' then 'command.ended' else 'command.changed' end,
    jsonb_build_object('command_id', command.id, 'profile_id', command.bot_id, 'name', command.name));
  return null;
end
$$;
comment on function app.record_bot_command_change is 'Records the slash commands of bots.';
create trigger bot_commands_are_recorded after insert or update or delete on public.bot_commands
  for each row execute function app.record_bot_command_change();
comment on trigger bot_commands_are_recorded on public.bot_commands is 'A bot receives what people enter after a command.';

create function app.record_channel_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  channel constant public.channels := case when tg_op = 'DELETE' then old else new end;
  target constant jsonb := jsonb_build_object('channel_id', channel.id, 'kind', channel.kind);
begin
  if channel.kind not in ('public', 'private') or old.kind not in ('public', 'private') then return null; end if;
  if tg_op = 'UPDATE' and new.deleted_at is not null then
    -- The kind that it had: entries about private channels are for their readers.
    perform app.record_action(channel.workspace_id, 'channel.deleted', jsonb_build_object('channel_id', old.id, 'kind', old.kind)
      || case when old.kind = 'public' then jsonb_build_object('name', old.name) else '{}' end);
    return null;
  end if;
  if tg_op = 'DELETE' and old.deleted_at is not null then return null; end if;
  if tg_op <> 'UPDATE' then
    perform app.record_action(channel.workspace_id, case tg_op when 'INSERT' then 'channel.created' else 'channel.deleted' end,
      -- The name of a deleted channel is found nowhere else.
      target || case when tg_op = 'DELETE' and channel.kind = 'public' then jsonb_build_object('name', channel.name)
        else '{}' end);
    return null;
  end if;
  if new.kind <> old.kind then
    perform app.record_action(channel.workspace_id, 'channel.visibility_changed',
      target || jsonb_build_object('from', old.kind, 'to', new.kind));
  end if;
  if (new.archived_at is null) <> (old.archived_at is null) then
    perform app.record_action(channel.workspace_id,
      case when new.archived_at is null then 'channel.unarchived' else 'channel.archived' end, target);
  end if;
  if new.posting <> old.posting then
    perform app.record_action(channel.workspace_id, 'channel.posting_changed',
      target || jsonb_build_object('from', old.posting, 'to', new.posting));
  end if;
  if new.slow_seconds <> old.slow_seconds then
    perform app.record_action(channel.workspace_id, 'channel.slow_mode_changed',
      target || jsonb_build_object('from', old.slow_seconds, 'to', new.slow_seconds));
  end if;
  return null;
end
$$;
comment on function app.record_channel_change is
  'Records creation, visibility, archiving, who may post, and deletion of channels; nothing of direct and group '
  'conversations.';
create trigger channel_changes_are_recorded after insert or delete or update of kind, archived_at, posting, slow_seconds
  on public.channels for each row execute function app.record_channel_change();
comment on trigger channel_changes_are_recorded on public.channels is
  'Entries of private channels show an owner neither which channel nor which people: list_audit_log.';

create function app.record_channel_role() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.record_action(c.workspace_id, 'channel.role_changed', jsonb_build_object('channel_id', c.id,
    'kind', c.kind, 'profile_id', new.profile_id, 'from', old.role, 'to', new.role))
  from public.channels c where c.id = new.channel_id;
  return null;
end
$$;
comment on function app.record_channel_role is 'Records who became an admin of a channel, or no longer is.';
create trigger channel_roles_are_recorded after update of role on public.channel_members
  for each row when (old.role <> new.role) execute function app.record_channel_role();
comment on trigger channel_roles_are_recorded on public.channel_members is 'Also for successors, without an actor.';

create function app.record_added_channel_members() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  perform app.record_action(c.workspace_id, 'channel.member_added',
    jsonb_build_object('channel_id', c.id, 'kind', c.kind, 'profile_id', a.profile_id))
  from added_members a
  join public.channels c on c.id = a.channel_id and c.kind in ('public', 'private')
  where a.profile_id <> me;
  return null;
end
$$;
comment on function app.record_added_channel_members is
  'Records whom somebody else added to a channel; joining a public channel is no change of rights.';
create trigger added_channel_members_are_recorded after insert on public.channel_members
  referencing new table as added_members for each statement execute function app.record_added_channel_members();
comment on trigger added_channel_members_are_recorded on public.channel_members is
  'Per statement: the caller is looked up once.';

create function app.record_channel_removal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.record_action(c.workspace_id, 'channel.member_removed',
    jsonb_build_object('channel_id', c.id, 'kind', c.kind, 'profile_id', new.profile_id))
  from public.channels c where c.id = new.channel_id;
  return null;
end
$$;
comment on function app.record_channel_removal is 'Records who was removed from a channel.';
create trigger channel_removals_are_recorded after insert or update on public.channel_removals
  for each row execute function app.record_channel_removal();
comment on trigger channel_removals_are_recorded on public.channel_removals is 'Whoever leaves has no row there.';

-- Accounts of owners and admins --------------------------------------------------------------------------

-- The auth service changes the tables of the schema `auth` by its own connection, without claims of a caller. The person is the
-- actor where only they can have caused the change. A factor can also be removed, and an address changed, with the service key.

create function app.record_account_action(
  account uuid, p_action text, is_by_person boolean, p_target jsonb default '{}'
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.audit_log (workspace_id, actor_id, action, target)
  select m.workspace_id, case when is_by_person or p.user_id = auth.uid() then p.id end, p_action,
    jsonb_build_object('profile_id', p.id) || p_target
  from public.profiles p
  -- An account that is being deleted has no row any more. Its factors end with it.
  join auth.users u on u.id = p.user_id
  join public.workspace_members m on m.profile_id = p.id
  where p.user_id = account and p.kind = 'person' and m.role in ('owner', 'admin') and app.is_active_member(m);
end
$$;
comment on function app.record_account_action is
  'Adds an entry about an account to the audit log of each workspace that the person owns or administers. The actor is the '
  'person, or null if it is unknown who caused the change.';

create function app.record_sign_in() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    -- The session in which the person adds a factor has verified it too. This is no sign-in.
    if current_setting('linnet.account_of_new_factor', true) is distinct from new.user_id::text then
      perform app.record_account_action(new.user_id, 'account.signed_in', true);
    end if;
  elsif new.oauth_client_id is not null then
    perform app.record_account_action(new.user_id, 'account.application_connected', true,
      jsonb_build_object('client_id', new.oauth_client_id));
  elsif new.aal >= 'aal2' or not app.has_second_factor(new.user_id) then
    perform app.record_account_action(new.user_id, 'account.signed_in', true);
  else
    -- The session has no rights before it verifies the second factor, and may never do so.
    perform app.record_account_action(new.user_id, 'account.sign_in_started', true);
  end if;
  return null;
end
$$;
comment on function app.record_sign_in is
  'Records a new session of an owner or admin: a sign-in, the first half of one with a second factor, or an application.';
create trigger sign_ins_are_recorded after insert on auth.sessions
  for each row execute function app.record_sign_in();
create trigger verified_sign_ins_are_recorded after update of aal on auth.sessions
  for each row when (new.aal >= 'aal2' and coalesce(old.aal, 'aal1') < 'aal2')
  execute function app.record_sign_in();

create function app.record_factor_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform app.record_account_action(old.user_id, 'account.factor_removed', false,
      jsonb_build_object('factor_type', old.factor_type));
  else
    -- Only the person can enter a code of the factor.
    perform app.record_account_action(new.user_id, 'account.factor_added', true,
      jsonb_build_object('factor_type', new.factor_type));
    perform set_config('linnet.account_of_new_factor', new.user_id::text, true);
  end if;
  return null;
end
$$;
comment on function app.record_factor_change is 'Records a second factor of an owner or admin once it is verified, and its end.';
create trigger new_factors_are_recorded after insert on auth.mfa_factors
  for each row when (new.status = 'verified') execute function app.record_factor_change();
create trigger verified_factors_are_recorded after update of status on auth.mfa_factors
  for each row when (new.status = 'verified' and old.status <> 'verified') execute function app.record_factor_change();
create trigger removed_factors_are_recorded after delete on auth.mfa_factors
  for each row when (old.status = 'verified') execute function app.record_factor_change();

create function app.record_address_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Whoever confirms an address has received the mail to it. The service key sets an address without a confirmation.
  perform app.record_account_action(new.id, 'account.address_changed', lower(old.email_change) is not distinct from new.email);
  return null;
end
$$;
comment on function app.record_address_change is
  'Records that the address of an owner or admin changed, without the addresses: no entry is ever deleted.';
create trigger address_changes_are_recorded after update of email on auth.users
  for each row when (new.email is distinct from old.email) execute function app.record_address_change();

-- Reading ----------------------------------------------------------------------------------------------

create function public.list_audit_log(
  workspace uuid, actor uuid default null, action text default null, "from" timestamptz default null,
  until timestamptz default null, before text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  size constant integer := least(greatest(coalesce(list_audit_log."limit", 50), 1), 500);
  recorded_before timestamptz := coalesce(until, 'infinity');
  recorded_from constant timestamptz := coalesce(list_audit_log."from", '-infinity');
  id_before uuid := '00000000-0000-0000-0000-000000000000';
  listed public.audit_log[];
  last public.audit_log;
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    recorded_before := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    id_before := split_part(before, ' ', 2)::uuid;
  end if;
  listed := array(
    select a from public.audit_log a
    where a.workspace_id = workspace and (a.recorded_at, a.id) < (recorded_before, id_before)
      and a.recorded_at >= recorded_from
      and (list_audit_log.actor is null or a.actor_id = list_audit_log.actor)
      and (list_audit_log.action is null or a.action = list_audit_log.action)
      -- Who reported a message is not for its author.
      and (a.action not like 'report.%' or a.target ->> 'author_id' is distinct from me::text)
    order by a.recorded_at desc, a.id desc limit size + 1);
  last := listed[size];
  return jsonb_build_object(
    'entries', coalesce((
      select jsonb_agg(jsonb_build_object('id', a.id, 'recorded_at', a.recorded_at, 'actor_id', a.actor_id,
        'action', a.action, 'reason', a.reason,
        -- What happens in a private channel is for those who read it.
        'target', case
          when a.target ? 'channel_id' and a.target ->> 'kind' is distinct from 'public' and r.channel_id is null
          then '{"hidden": true}' else a.target end) order by a.recorded_at desc, a.id desc)
      from unnest(listed[1:size]) a
      left join app.my_readable_channels() r on r.channel_id = (a.target ->> 'channel_id')::uuid), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.recorded_at) * 1000000)::bigint || ' ' || last.id end);
end
$$;
comment on function public.list_audit_log is
  'Entries of the audit log, newest first, for owners and admins: of a person, of an action, from and until a time. Those '
  'about private channels that the caller may not read have neither the channel nor the people; those about reports of '
  'the caller''s own messages are left out.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_audit_log from public, anon, authenticated, service_role;
grant execute on function public.list_audit_log to authenticated;
