-- An owner or admin who is removed or demoted leaves tokens of bots, webhooks and slash commands. They keep working, since a
-- group depends on them. But the person still knows their secrets, or has chosen the address that receives messages. So each
-- stores the person who created it, and admins see a task until somebody has replaced, ended or kept it. An admin who removes
-- or demotes a person can end everything that the person has created. Decision 74 gives the reasons.

alter table public.bots add column token_created_by uuid
  constraint bots_token_created_by_fkey references public.profiles (id) on delete set null;
create index bots_token_created_by on public.bots (token_created_by);
comment on column public.bots.token_created_by is
  'The person who created the token and knows it. For tokens that are older than this column, the person who was responsible '
  'for the bot.';
update public.bots b set token_created_by = b.responsible_id where b.token_created_at is not null;

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

create function app.is_unmanaged_integration(workspace uuid, creator uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.workspace_members m
    where m.workspace_id = is_unmanaged_integration.workspace and m.profile_id = creator and m.role in ('owner', 'admin')
      and app.is_active_member(m) and not app.has_lost_account(creator))
$$;
comment on function app.is_unmanaged_integration is
  'Whether the creator of an integration no longer manages the workspace, or has no profile any more.';

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

-- Tokens -----------------------------------------------------------------------------------------------

create or replace function app.delete_bot_account(bot uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Cascades to its sessions, refresh tokens and sign-in methods. The foreign key sets profiles.user_id to null, which
  -- moves the bot's channels to new topics.
  delete from auth.users u where u.id = (select p.user_id from public.profiles p where p.id = bot and p.kind = 'bot');
  update public.bots b set token_created_at = null, token_expires_at = null, token_created_by = null
  where b.profile_id = bot;
end
$$;
comment on function app.delete_bot_account is 'Ends the token of a bot, with its sessions and sockets.';

create or replace function app.bot_as_json(bot public.bots) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('id', bot.profile_id, 'name', p.name, 'description', bot.description,
      'responsible_id', bot.responsible_id, 'created_at', bot.created_at,
      'unmanaged', (
        select count(*) from app.integrations(bot.workspace_id, bot.profile_id) i
        where app.is_unmanaged_integration(bot.workspace_id, i.created_by)),
      'token', case when bot.token_expires_at > now() then jsonb_build_object('created_at', bot.token_created_at,
        'expires_at', bot.token_expires_at,
        'is_unmanaged', app.is_unmanaged_integration(bot.workspace_id, bot.token_created_by),
        'used_at', (select u.last_sign_in_at from auth.users u where u.id = p.user_id)) end,
      'channels', coalesce((
        select jsonb_agg(m.channel_id order by m.channel_id) from public.channel_members m
        join app.my_readable_channels() r on r.channel_id = m.channel_id
        where m.profile_id = bot.profile_id), '[]'),
      'hidden_channels', (
        select count(*) from public.channel_members m
        where m.profile_id = bot.profile_id
          and m.channel_id not in (select r.channel_id from app.my_readable_channels() r)))
    from public.profiles p where p.id = bot.profile_id
  );
end
$$;
comment on function app.bot_as_json is
  'A bot as those who manage the workspace see it: without its token, with the channels that the caller may read, the number '
  'of others, and the number of its integrations whose creator does not manage the workspace any more.';

create or replace function public.create_bot_token(bot uuid, days integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
  token constant text := app.random_token();
  address text;
  changed public.bots;
begin
  if days is null or days not between 1 and 366 then
    raise exception using errcode = 'PT400', message = 'bad_expiry';
  end if;
  -- Whoever creates a token can read with it.
  if exists (
    select from public.channel_members m
    where m.profile_id = owner.profile_id
      and m.channel_id not in (select r.channel_id from app.my_readable_channels() r)
  ) then
    raise exception using errcode = 'PT403', message = 'bot_in_other_channels';
  end if;
  perform app.delete_bot_account(bot);
  update public.bots b
  set token_created_at = now(), token_expires_at = now() + make_interval(days => days),
    token_created_by = app.my_profile_id()
  where b.profile_id = bot returning * into changed;
  address := app.create_bot_account(bot, token);
  return jsonb_build_object('bot', app.bot_as_json(changed), 'email', address, 'token', token);
end
$$;
comment on function public.create_bot_token is
  'Creates the token of a bot, valid for 1 to 366 days. An earlier one ends with its sessions. Only the response contains '
  'the token, which is the password of the returned address. Fails with bot_in_other_channels if the bot is in channels '
  'that the caller may not read.';

-- Webhooks and commands --------------------------------------------------------------------------------

create or replace function app.incoming_webhook_as_json(webhook public.incoming_webhooks) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('id', webhook.id, 'channel_id', webhook.channel_id, 'created_by', webhook.created_by,
    'created_at', webhook.created_at, 'used_at', webhook.used_at,
    'is_unmanaged', (
      select app.is_unmanaged_integration(b.workspace_id, webhook.created_by) from public.bots b where b.profile_id = webhook.bot_id))
$$;
comment on function app.incoming_webhook_as_json is 'A webhook without its secret.';

create or replace function public.renew_incoming_webhook(webhook uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  renewed public.incoming_webhooks := app.require_incoming_webhook(webhook);
  token constant text := app.random_token();
begin
  perform app.require_readable_channels(b.workspace_id, array[renewed.channel_id])
  from public.bots b where b.profile_id = renewed.bot_id;
  update public.incoming_webhooks h set token_hash = app.hash_token(token), created_by = app.my_profile_id()
  where h.id = webhook returning * into renewed;
  return jsonb_build_object('webhook', app.incoming_webhook_as_json(renewed), 'token', token);
end
$$;
comment on function public.renew_incoming_webhook is
  'Gives a webhook a new secret; its former address stops working. For those who may read its channel.';

create or replace function app.outgoing_webhook_as_json(webhook public.outgoing_webhooks) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', webhook.id, 'channel_id', webhook.channel_id, 'url', webhook.url,
    'words', to_jsonb(webhook.words), 'created_by', webhook.created_by, 'created_at', webhook.created_at,
    'delivered_at', webhook.delivered_at, 'disabled_at', webhook.disabled_at, 'problem', webhook.problem,
    'is_unmanaged', (
      select app.is_unmanaged_integration(b.workspace_id, webhook.created_by) from public.bots b where b.profile_id = webhook.bot_id),
    'deliveries', app.failed_deliveries(webhook.id));
end
$$;
comment on function app.outgoing_webhook_as_json is
  'A webhook without its secret, with its last 20 deliveries that failed or are repeated, and why.';

create or replace function app.bot_command_as_json(command public.bot_commands) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', command.id, 'name', command.name, 'description', command.description,
    'hint', command.hint, 'url', command.url, 'enabled', command.enabled, 'created_by', command.created_by,
    'created_at', command.created_at,
    'is_unmanaged', app.is_unmanaged_integration(command.workspace_id, command.created_by), 'deliveries', app.failed_deliveries(command.id));
end
$$;
comment on function app.bot_command_as_json is
  'A command as those who manage its bot see it, with its last 20 deliveries that failed.';

create or replace function public.update_bot_command(
  command uuid, name text, description text, hint text default '', url text default null, enabled boolean default true
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.bot_commands := app.require_bot_command(command);
begin
  perform from public.workspaces w where w.id = changed.workspace_id for no key update;
  if nullif(btrim(update_bot_command.url), '') is distinct from changed.url then
    -- The person who chooses the address decides where the texts of callers are sent.
    changed.created_by := app.my_profile_id();
  end if;
  changed.name := update_bot_command.name;
  changed.description := update_bot_command.description;
  changed.hint := update_bot_command.hint;
  changed.url := update_bot_command.url;
  changed := app.check_bot_command(changed);
  update public.bot_commands k
  set name = changed.name, description = changed.description, hint = changed.hint, url = changed.url,
    enabled = coalesce(update_bot_command.enabled, true), created_by = changed.created_by
  where k.id = changed.id returning * into changed;
  return app.bot_command_as_json(changed);
end
$$;
comment on function public.update_bot_command is 'Changes all properties of a command of a bot; what is absent is emptied.';

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

-- Administration ---------------------------------------------------------------------------------------

create or replace function app.administered_person_as_json(member public.workspace_members) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('profile', app.profile_as_json(p), 'role', member.role,
      'state', case when app.is_active_member(member) then 'active' else coalesce(member.ended, 'deactivated') end,
      'expires_at', member.expires_at, 'joined_at', member.created_at, 'email', case when p.kind = 'person' then u.email end,
      'has_account', u.id is not null, 'second_factor', p.second_factor,
      'integrations', (
        select count(*) from app.integrations(member.workspace_id) i where i.created_by = member.profile_id),
      -- Former members may still use other workspaces.
      'seen_at', case when app.is_active_member(member) then greatest(u.last_sign_in_at, h.seen_at, (
        select max(s.refreshed_at at time zone 'UTC') from auth.sessions s where s.user_id = p.user_id)) end)
    from public.profiles p
    left join auth.users u on u.id = p.user_id and u.deleted_at is null
    left join public.heartbeats h on h.profile_id = p.id
    where p.id = member.profile_id
  );
end
$$;
comment on function app.administered_person_as_json is
  'A person as owners and admins see them: with their address, how their membership ended, and when active members were last '
  'there.';

create or replace function public.list_people(
  workspace uuid, query text default '', roles text[] default null, states text[] default null,
  second_factor boolean default null, after uuid default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_people."limit", 50), 1), 100);
  term constant text := lower(btrim(left(coalesce(query, ''), 100)));
  found_ids uuid[];
  listed uuid[];
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if list_people.roles <@ array['owner', 'admin', 'member', 'guest'] is false
    or list_people.states <@ array['active', 'deactivated', 'left', 'removed'] is false
  then
    raise exception using errcode = 'PT400', message = 'bad_filter';
  end if;
  found_ids := array(
    select p.id
    from public.workspace_members m
    join public.profiles p on p.id = m.profile_id and p.kind <> 'bot'
    left join auth.users u on u.id = p.user_id and u.deleted_at is null
    where m.workspace_id = workspace
      and (list_people.roles is null or m.role = any (list_people.roles))
      and (list_people.states is null or case
        when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then 'active'
        else coalesce(m.ended, 'deactivated') end = any (list_people.states))
      and (list_people.second_factor is null or p.second_factor = list_people.second_factor)
      and (term = '' or strpos(lower(p.name), term) > 0 or strpos(lower(u.email), term) > 0
        or strpos(lower(p.title), term) > 0)
    order by lower(p.name), p.id);
  -- From the start if the person of the last page is no longer found.
  listed := found_ids[coalesce(array_position(found_ids, list_people.after), 0) + 1 :];
  return jsonb_build_object(
    -- As app.administered_person_as_json, of all people at once.
    'people', coalesce((
      select jsonb_agg(jsonb_build_object(
        'profile', app.profile_as_json(p), 'role', m.role,
        'state', case when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then 'active'
          else coalesce(m.ended, 'deactivated') end,
        'expires_at', m.expires_at, 'joined_at', m.created_at, 'email', case when p.kind = 'person' then u.email end,
        'has_account', u.id is not null, 'second_factor', p.second_factor,
        'seen_at', greatest(u.last_sign_in_at, h.seen_at, s.refreshed_at),
        'integrations', coalesce(n.integrations, 0)) order by i.position)
      from unnest(listed[1:size]) with ordinality i (id, position)
      join public.workspace_members m on m.workspace_id = workspace and m.profile_id = i.id
      join public.profiles p on p.id = i.id
      left join auth.users u on u.id = p.user_id and u.deleted_at is null
      left join public.heartbeats h on h.profile_id = p.id
      left join lateral (
        select max(s.refreshed_at at time zone 'UTC') as refreshed_at
        from auth.sessions s where s.user_id = p.user_id) s on true
      left join (
        select c.created_by, count(*) as integrations from app.integrations(workspace) c group by c.created_by
      ) n on n.created_by = i.id), '[]'),
    'total', cardinality(found_ids),
    'after', case when cardinality(listed) > size then to_jsonb(listed[size]) end);
end
$$;
comment on function public.list_people is
  'People of a workspace by name, also former ones, for its owners and admins: by a part of their name, address or title, by '
  'role, by state and by whether they have a second factor; 100 at most, those after the person `after`. Bots have their own '
  'list.';

create or replace function public.admin_tasks(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  return jsonb_build_object(
    'reports', (
      select count(*) from (
        select from public.reports r
        where r.workspace_id = admin_tasks.workspace and r.state = 'open' and r.author_id is distinct from me limit 100) o),
    'requests', (
      select count(*) from (
        select from public.join_requests r
        where r.workspace_id = admin_tasks.workspace and r.state = 'waiting' and app.has_usable_account(r.profile_id)
        limit 100) w),
    'integrations', (
      select count(*) from (
        select from app.integrations(admin_tasks.workspace) i
        where app.is_unmanaged_integration(admin_tasks.workspace, i.created_by) limit 100) u));
end
$$;
comment on function public.admin_tasks is
  'Counts the reports that nobody has taken (without those of the caller''s own messages), the requests to join that wait for a '
  'decision, and the integrations whose creators no longer manage the workspace. Each count ends at 100. For owners and '
  'admins.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.keep_outgoing_webhook, public.keep_bot_command, public.end_integrations
  from public, anon, authenticated, service_role;
grant execute on function public.keep_outgoing_webhook, public.keep_bot_command, public.end_integrations to authenticated;
