-- Bots: members of a kind of their own, for programs. Decision 29 gives the reasons.
--
-- A bot is a profile of kind `bot` with a guest's membership, so that it reads and writes in the channels that it was
-- added to and nowhere else, from then on. Its token is the password of an account in auth.users, which exists only as
-- long as the token: a new token is a new account, and ending it deletes the account with its sessions. All of the
-- bot's sessions end on the day on which the token expires, and every access function requires a live session.

-- Table ------------------------------------------------------------------------------------------------

create table public.bots (
  profile_id uuid primary key references public.profiles (id) on delete cascade,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  description text not null default ''
    constraint bots_description_length check (char_length(description) <= 250)
    constraint bots_description_legible check (app.is_legible(description)),
  responsible_id uuid references public.profiles (id) on delete set null,
  token_created_at timestamptz,
  token_expires_at timestamptz,
  created_at timestamptz not null default now(),
  token_created_by uuid constraint bots_token_created_by_fkey references public.profiles (id) on delete set null,
  constraint bots_token_dated check ((token_created_at is null) = (token_expires_at is null))
);
create index bots_workspace on public.bots (workspace_id);
create index bots_responsible on public.bots (responsible_id);
create index bots_expiring on public.bots (token_expires_at) where token_expires_at is not null;
create index bots_token_created_by on public.bots (token_created_by);
comment on table public.bots is
  'Bots, each with the person who is responsible for it. Its account, if it has a token, is profiles.user_id.';
comment on column public.bots.token_expires_at is
  'When the token expires, and with it each session of the account; null without a token.';
comment on column public.bots.token_created_by is
  'The person who created the token and knows it. For tokens that are older than this column, the person who was responsible '
  'for the bot.';
alter table public.bots enable row level security;
create policy "members see the bots visible to them" on public.bots
  for select to authenticated using (
    workspace_id = any ((select app.my_full_workspace_ids())::uuid[])
    or (profile_id in (select app.my_visible_profile_ids()) and responsible_id in (select app.my_visible_profile_ids()))
  );
comment on policy "members see the bots visible to them" on public.bots is
  'Full members see all bots of their workspace. A guest must not learn of people outside of their channels.';
revoke all on public.bots from public, anon, authenticated, service_role;
grant select (profile_id, workspace_id, description, responsible_id, created_at) on public.bots to authenticated;
grant select, insert, update, delete on public.bots to service_role;

-- What bots cannot be ----------------------------------------------------------------------------------

create function app.restrict_bot_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.role = 'guest' and (tg_op = 'INSERT' or new.workspace_id = old.workspace_id) then return new; end if;
  if exists (select from public.bots b where b.profile_id = new.profile_id) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return new;
end
$$;
comment on function app.restrict_bot_membership is
  'Fails with not_allowed if a bot would get another role than that of a guest, by an invitation for example.';
create trigger restrict_bot_membership before insert or update of role, workspace_id on public.workspace_members
  for each row execute function app.restrict_bot_membership();

create function app.restrict_bot_channels() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
    select from public.bots b join public.channels c on c.id = new.channel_id
    where b.profile_id = new.profile_id and (c.workspace_id <> b.workspace_id or c.kind not in ('public', 'private')
      or (auth.uid() is not null and coalesce(app.my_role(b.workspace_id) not in ('owner', 'admin'), true)))
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return new;
end
$$;
comment on function app.restrict_bot_channels is
  'Fails with not_allowed if a bot would become a member of a direct or group conversation, or be added to a channel by '
  'anyone but owners and admins of the workspace.';
create trigger restrict_bot_channels before insert or update of channel_id, profile_id on public.channel_members
  for each row execute function app.restrict_bot_channels();

create function app.limit_bot_session() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.not_after := least(new.not_after, (
    select b.token_expires_at from public.profiles p join public.bots b on b.profile_id = p.id
    where p.user_id = new.user_id));
  return new;
end
$$;
comment on function app.limit_bot_session is
  'Ends each session of a bot''s account when its token expires, whatever the auth service would allow.';
create trigger limit_bot_session before insert or update of not_after, user_id on auth.sessions
  for each row execute function app.limit_bot_session();

-- Accounts ---------------------------------------------------------------------------------------------

create function app.delete_bot_account(bot uuid) returns void
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

create function app.create_bot_account(bot uuid, token text) returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := gen_random_uuid();
  -- `.invalid` never receives mail (RFC 2606).
  address constant text := 'bot-' || account || '@bots.invalid';
begin
  -- The auth service cannot read null in the columns of tokens. A token is long and random, so the cheapest hash is
  -- enough.
  insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, created_at,
    updated_at, raw_app_meta_data, raw_user_meta_data, confirmation_token, recovery_token, email_change,
    email_change_token_new)
  values ('00000000-0000-0000-0000-000000000000', account, 'authenticated', 'authenticated', address,
    extensions.crypt(token, extensions.gen_salt('bf', 4)), now(), now(), now(),
    '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '');
  insert into auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
  values (gen_random_uuid(), account, 'email', account::text,
    jsonb_build_object('sub', account, 'email', address, 'email_verified', true), now(), now());
  update public.profiles p set user_id = account where p.id = bot and p.kind = 'bot';
  return address;
end
$$;
comment on function app.create_bot_account is
  'Creates the account of a bot with this token as its password; returns its address, with which it signs in.';

create function app.end_expired_bot_tokens() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  bot uuid;
begin
  -- One bot per call: the channels of two would not be locked in one order.
  select b.profile_id into bot from public.bots b
  where b.token_expires_at <= now() order by b.token_expires_at limit 1 for update skip locked;
  if bot is not null then perform app.delete_bot_account(bot); end if;
end
$$;
comment on function app.end_expired_bot_tokens is
  'Deletes the account of one bot whose token has expired. Its rights ended by the time alone; this moves its channels to '
  'new topics, for sockets at hosted projects.';

create function app.end_bot_with_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  their_channels uuid[];
begin
  if not exists (select from public.bots b where b.profile_id = new.profile_id) then return null; end if;
  their_channels := array(select m.channel_id from public.channel_members m where m.profile_id = new.profile_id);
  perform app.lock_channels(their_channels);
  perform app.delete_bot_account(new.profile_id);
  delete from public.channel_members m where m.profile_id = new.profile_id and m.channel_id = any (their_channels);
  perform app.increment_meta_rev(c) from (select c from unnest(their_channels) c order by c) o;
  return null;
end
$$;
comment on function app.end_bot_with_membership is
  'Ends everything of a bot whose membership has ended: its account, sessions and channels. Its messages stay.';
create trigger end_bot_with_membership after update of state on public.workspace_members
  for each row when (old.state = 'active' and new.state = 'deactivated')
  execute function app.end_bot_with_membership();

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

-- Commands ---------------------------------------------------------------------------------------------

create function app.require_bot(bot uuid) returns public.bots
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_bot public.bots;
begin
  select b.* into found_bot from public.bots b
  join public.workspace_members w on w.workspace_id = b.workspace_id and w.profile_id = b.profile_id
  where b.profile_id = bot and w.state = 'active';
  if found_bot.profile_id is null then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform app.require_role(found_bot.workspace_id, 'owner', 'admin');
  -- Locked, so that of two concurrent commands the second sees the channels and the token of the first.
  select b.* into found_bot from public.bots b where b.profile_id = bot for no key update;
  return found_bot;
end
$$;
comment on function app.require_bot is
  'A bot that has not ended, locked, if the caller manages its workspace; fails with not_found outside of the workspace '
  'and with not_allowed inside.';

create function app.bot_as_json(bot public.bots) returns jsonb
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

create function app.require_bot_description(description text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(description) > 250 then
    raise exception using errcode = 'PT400', message = 'bots_description_length';
  end if;
  return btrim(coalesce(description, ''));
end
$$;
comment on function app.require_bot_description is 'The description; fails with bots_description_length.';

create function app.require_bot_channels(workspace uuid, channels uuid[]) returns uuid[]
language plpgsql volatile security definer set search_path = ''
as $$
declare
  chosen constant uuid[] := array(select distinct c from unnest(channels[1:101]) c where c is not null order by c);
begin
  if cardinality(channels) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_channels';
  end if;
  -- As for invitations: checked again under the locks that making a channel private and removing a member take.
  perform app.require_readable_channels(workspace, chosen);
  perform app.lock_channels(chosen);
  perform app.require_readable_channels(workspace, chosen);
  return chosen;
end
$$;
comment on function app.require_bot_channels is
  'These channels, ordered and locked. Nobody gives a bot a channel that they cannot read: fails with not_found, or '
  'too_many_channels over 100.';

create function public.create_bot(
  id uuid, workspace uuid, name text, channels uuid[], description text default ''
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  bot public.bots;
  chosen uuid[];
begin
  chosen := app.require_bot_channels(workspace, channels);
  -- Of concurrent calls the second finds the bot of the first, and counts it.
  perform from public.workspaces w where w.id = workspace for no key update;
  select b.* into bot from public.bots b
  where b.profile_id = create_bot.id and b.workspace_id = workspace and b.responsible_id = me;
  if bot.profile_id is not null then return app.bot_as_json(bot); end if;
  if create_bot.id is null or exists (select from public.profiles p where p.id = create_bot.id) then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  if 100 <= (
    select count(*) from public.bots b
    join public.workspace_members w on w.workspace_id = b.workspace_id and w.profile_id = b.profile_id
    where b.workspace_id = workspace and w.state = 'active')
  then
    raise exception using errcode = 'PT409', message = 'too_many_bots';
  end if;
  insert into public.profiles (id, kind, name)
  values (create_bot.id, 'bot', app.require_name(create_bot.name, 'profiles_name_length'));
  insert into public.bots (profile_id, workspace_id, description, responsible_id)
  values (create_bot.id, workspace, app.require_bot_description(create_bot.description), me) returning * into bot;
  insert into public.workspace_members (workspace_id, profile_id, role) values (workspace, create_bot.id, 'guest');
  perform app.add_channel_member(c, create_bot.id, me, 'member') from unnest(chosen) c;
  return app.bot_as_json(bot);
end
$$;
comment on function public.create_bot is
  'Creates a bot in these channels, for owners and admins. The client chooses the id: repeated calls create it once.';

create function public.update_bot(
  bot uuid, name text default null, description text default null, responsible uuid default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  changed constant public.bots := app.require_bot(bot);
begin
  if responsible is not null and not exists (
    select from public.workspace_members w join public.profiles p on p.id = w.profile_id and p.kind = 'person'
    where w.workspace_id = changed.workspace_id and w.profile_id = responsible and w.role <> 'guest'
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  update public.bots b
  set description = app.require_bot_description(coalesce(update_bot.description, b.description)),
    responsible_id = coalesce(responsible, b.responsible_id)
  where b.profile_id = bot and (update_bot.description is not null or responsible is not null);
  update public.profiles p set name = app.require_name(coalesce(update_bot.name, p.name), 'profiles_name_length')
  where p.id = bot and update_bot.name is not null;
  return app.bot_as_json(b) from public.bots b where b.profile_id = bot;
end
$$;
comment on function public.update_bot is
  'Changes the given properties of a bot: its name, its description, and the full member who is responsible for it.';

create function public.set_bot_channels(bot uuid, channels uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  changed constant public.bots := app.require_bot(bot);
begin
  perform app.set_channels_of_guest(changed.workspace_id, bot, channels);
  return app.bot_as_json(changed);
end
$$;
comment on function public.set_bot_channels is
  'Sets the channels of a bot, of those that the caller may read; it stays in others. It reads messages from its joining '
  'on.';

create function public.create_bot_token(bot uuid, days integer) returns jsonb
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

create function public.end_bot_token(bot uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  owner constant public.bots := app.require_bot(bot);
begin
  perform app.delete_bot_account(owner.profile_id);
  return app.bot_as_json(b) from public.bots b where b.profile_id = owner.profile_id;
end
$$;
comment on function public.end_bot_token is 'Ends the token of a bot, its sessions and its sockets; the bot stays.';

create function public.end_bot(bot uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ended constant public.bots := app.require_bot(bot);
begin
  update public.workspace_members w set state = 'deactivated', deactivated_at = now()
  where w.workspace_id = ended.workspace_id and w.profile_id = ended.profile_id;
  return jsonb_build_object('id', ended.profile_id);
end
$$;
comment on function public.end_bot is 'Ends a bot with everything that belongs to it; its messages stay.';

create function public.list_bots(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  return jsonb_build_object('bots', coalesce((
    select jsonb_agg(app.bot_as_json(b) order by b.created_at, b.profile_id)
    from public.bots b
    join public.workspace_members w on w.workspace_id = b.workspace_id and w.profile_id = b.profile_id
    where b.workspace_id = workspace and w.state = 'active' and me is not null), '[]'));
end
$$;
comment on function public.list_bots is
  'The bots of a workspace that have not ended, 100 at most, for its owners and admins.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_bot, public.update_bot, public.set_bot_channels, public.create_bot_token,
  public.end_bot_token, public.end_bot, public.list_bots from public, anon, authenticated, service_role;
grant execute on function public.create_bot, public.update_bot, public.set_bot_channels, public.create_bot_token,
  public.end_bot_token, public.end_bot, public.list_bots to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: end bot tokens', '* * * * *',
  $$select app.end_expired_bot_tokens() where exists (select from public.bots b where b.token_expires_at <= now())$$);
