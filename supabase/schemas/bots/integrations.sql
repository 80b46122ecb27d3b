-- Integrations of former admins. Decision 74 gives the reasons.
--
-- An owner or admin who is removed or demoted leaves tokens of bots, webhooks and slash commands. They keep working, since a
-- group depends on them. But the person still knows their secrets, or has chosen the address that receives messages. So each
-- stores the person who created it, and admins see a task until somebody has replaced, ended or kept it. An admin who removes
-- or demotes a person can end everything that the person has created.

-- Who manages what -------------------------------------------------------------------------------------

create function app.integrations(workspace uuid, bot uuid default null)
returns table (kind text, id uuid, bot_id uuid, created_by uuid)
language sql stable security definer set search_path = ''
as $$
  with listed as (
    select b.* from public.bots b
    where b.workspace_id = integrations.workspace and (integrations.bot is null or b.profile_id = integrations.bot))
  select 'token', b.profile_id, b.profile_id, b.token_created_by from listed b where b.token_expires_at > now()
  union all
  select 'incoming', h.id, h.bot_id, h.created_by
  from public.incoming_webhooks h join listed b on b.profile_id = h.bot_id
  union all
  select 'outgoing', h.id, h.bot_id, h.created_by
  from public.outgoing_webhooks h join listed b on b.profile_id = h.bot_id
  union all
  select 'command', k.id, k.bot_id, k.created_by
  from public.bot_commands k join listed b on b.profile_id = k.bot_id
$$;
comment on function app.integrations is
  'The valid tokens, webhooks and commands of the bots of a workspace, or of one bot, each with the person who created it: '
  'at most 61 for each of 100 bots.';

create function app.notify_integrations(workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_user(m.profile_id, 'integrations', jsonb_build_object('workspace_id', workspace))
  from public.workspace_members m
  where m.workspace_id = workspace and m.role in ('owner', 'admin') and app.is_active_member(m);
end
$$;
comment on function app.notify_integrations is
  'Notifies owners and admins that the number of integrations of former admins has changed. Their pages fetch the number.';

create function app.notify_integrations_of_member() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from app.integrations(new.workspace_id) i where i.created_by = new.profile_id) then
    perform app.notify_integrations(new.workspace_id);
  end if;
  return null;
end
$$;
comment on function app.notify_integrations_of_member is
  'Notifies the other admins when somebody who has created integrations stops managing the workspace, or manages it again.';
create trigger integrations_of_members_are_broadcast after update of role, state on public.workspace_members
  for each row when (
    (old.role in ('owner', 'admin') or new.role in ('owner', 'admin'))
    and (old.role <> new.role or old.state <> new.state))
  execute function app.notify_integrations_of_member();
comment on trigger integrations_of_members_are_broadcast on public.workspace_members is
  'It fires for commands, successions and invitations.';

create function app.notify_integration_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant jsonb := to_jsonb(old);
  creator constant uuid := coalesce(changed ->> 'token_created_by', changed ->> 'created_by')::uuid;
begin
  perform app.notify_integrations(b.workspace_id) from public.bots b
  where b.profile_id = coalesce(changed ->> 'bot_id', changed ->> 'profile_id')::uuid
    and app.is_unmanaged_integration(b.workspace_id, creator);
  return null;
end
$$;
comment on function app.notify_integration_change is
  'Notifies owners and admins when an integration of a former admin was ended, replaced or kept.';
create trigger tokens_of_former_admins_are_broadcast after update of token_created_at on public.bots
  for each row when (old.token_created_at is not null) execute function app.notify_integration_change();
create trigger webhooks_of_former_admins_are_broadcast after delete or update of created_by on public.incoming_webhooks
  for each row execute function app.notify_integration_change();
create trigger webhooks_of_former_admins_are_broadcast after delete or update of created_by on public.outgoing_webhooks
  for each row execute function app.notify_integration_change();
create trigger commands_of_former_admins_are_broadcast after delete or update of created_by on public.bot_commands
  for each row execute function app.notify_integration_change();

-- Commands ---------------------------------------------------------------------------------------------

create function public.keep_outgoing_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  kept public.outgoing_webhooks := app.require_outgoing_webhook(webhook);
begin
  perform app.require_readable_channels(b.workspace_id, array[kept.channel_id])
  from public.bots b where b.profile_id = kept.bot_id;
  update public.outgoing_webhooks h set created_by = app.my_profile_id()
  where h.id = webhook returning * into kept;
  return app.outgoing_webhook_as_json(kept);
end
$$;
comment on function public.keep_outgoing_webhook is
  'Makes the caller responsible for a webhook that a former admin created. Its address stays. For owners and admins who may '
  'read its channel.';

create function public.keep_bot_command(command uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  kept public.bot_commands := app.require_bot_command(command);
begin
  update public.bot_commands k set created_by = app.my_profile_id() where k.id = command returning * into kept;
  return app.bot_command_as_json(kept);
end
$$;
comment on function public.keep_bot_command is
  'Makes the caller responsible for a command that a former admin created. Its address stays.';

create function public.end_integrations(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
  ended constant integer := (
    select count(*) from app.integrations(member.workspace_id) i where i.created_by = member.profile_id);
  with_token constant uuid[] := array(
    select b.profile_id from public.bots b
    where b.workspace_id = member.workspace_id and b.token_created_by = member.profile_id order by b.profile_id);
begin
  -- In a fixed order, because the end of a token moves the channels of its bot to new topics.
  perform app.lock_channels(array(
    select m.channel_id from public.channel_members m where m.profile_id = any (with_token)));
  perform app.delete_bot_account(b) from unnest(with_token) b;
  delete from public.incoming_webhooks h using public.bots b
  where b.profile_id = h.bot_id and b.workspace_id = member.workspace_id and h.created_by = member.profile_id;
  delete from public.outgoing_webhooks h using public.bots b
  where b.profile_id = h.bot_id and b.workspace_id = member.workspace_id and h.created_by = member.profile_id;
  delete from public.bot_commands k where k.workspace_id = member.workspace_id and k.created_by = member.profile_id;
  return jsonb_build_object('profile_id', person, 'ended', ended);
end
$$;
comment on function public.end_integrations is
  'Ends the tokens, webhooks and commands of bots that a person below the caller has created, also in channels that the '
  'caller may not read. The bots and their messages stay.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.keep_outgoing_webhook, public.keep_bot_command, public.end_integrations
  from public, anon, authenticated, service_role;
grant execute on function public.keep_outgoing_webhook, public.keep_bot_command, public.end_integrations
  to authenticated;
