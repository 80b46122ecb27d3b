-- Joining a workspace without an invitation: by the domain of a confirmed address, at once or after an approval, and
-- channels that newcomers start in. Decision 52 gives the reasons.
--
-- A workspace that a person may neither join nor ask is indistinguishable from one that does not exist, and no command
-- shows which domains are listed except to those who manage the workspace.

-- Tables -----------------------------------------------------------------------------------------------

create table public.workspace_domains (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  domain text not null
    constraint workspace_domains_form check (
      char_length(domain) <= 253
      and domain ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  admission text not null
    constraint workspace_domains_admission_known check (admission in ('join', 'request')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, domain)
);
create index workspace_domains_domain on public.workspace_domains (domain);
comment on table public.workspace_domains is
  'Mail domains whose confirmed addresses may join a workspace (join), or request to (request); 20 at most. Read by '
  'joining_settings. No access for clients.';
alter table public.workspace_domains enable row level security;
revoke all on public.workspace_domains from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workspace_domains to service_role;

create table public.default_channels (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  channel_id uuid primary key references public.channels (id) on delete cascade
);
create index default_channels_workspace on public.default_channels (workspace_id);
comment on table public.default_channels is
  'Public channels that newcomers start in; 20 at most. A trigger removes those that are archived or become private. Read '
  'by joining_settings. No access for clients.';
alter table public.default_channels enable row level security;
revoke all on public.default_channels from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.default_channels to service_role;

create table public.join_requests (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  email text not null,
  note text not null default ''
    constraint join_requests_note_length check (char_length(note) <= 500)
    constraint join_requests_note_legible check (app.are_legible_lines(note)),
  state text not null default 'waiting'
    constraint join_requests_state_known check (state in ('waiting', 'approved', 'declined')),
  created_at timestamptz not null default now(),
  decided_at timestamptz
    constraint join_requests_decided check ((decided_at is null) = (state = 'waiting')),
  constraint join_requests_once unique (workspace_id, profile_id)
);
create index join_requests_profile on public.join_requests (profile_id);
create index join_requests_waiting on public.join_requests (workspace_id, created_at, id) where state = 'waiting';
create index join_requests_decided_at on public.join_requests (decided_at) where state <> 'waiting';
comment on table public.join_requests is
  'Who asks to join a workspace: 100 waiting in a workspace, 5 of a person. Decided ones stay for 30 days, in which a '
  'declined person cannot ask again. Read by joining_settings and list_joinable_workspaces. No access for clients.';
comment on column public.join_requests.email is
  'The confirmed address that it was made with: another address of the account ends it.';
alter table public.join_requests enable row level security;
revoke all on public.join_requests from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.join_requests to service_role;

-- Domains ----------------------------------------------------------------------------------------------

create function app.mail_domain(address text) returns text
language sql immutable set search_path = ''
as $$ select substring(lower(address) from '@([^@]+)$') $$;
comment on function app.mail_domain is 'The domain of an address; null without one.';

create function app.is_public_mail_domain(domain text) returns boolean
language sql immutable set search_path = ''
as $$
  select domain ~ ('^(aol|gmx|hotmail|live|msn|outlook|rocketmail|windowslive|yahoo|ymail)'
      '\.(com|net|org|co|info|(co|com)\.[a-z]{2}|[a-z]{2})$')
    or domain = any (array[
      '126.com', '163.com', '189.cn', '1und1.de', 'abv.bg', 'arcor.de', 'att.net', 'bigpond.com', 'bk.ru', 'bluewin.ch',
      'bol.com.br', 'btinternet.com', 'centrum.cz', 'comcast.net', 'cox.net', 'duck.com', 'email.cz', 'email.de',
      'fastmail.com', 'fastmail.fm', 'foxmail.com', 'free.fr', 'freemail.hu', 'freenet.de', 'gmail.com', 'googlemail.com',
      'hanmail.net', 'hey.com', 'hushmail.com', 'icloud.com', 'inbox.lv', 'inbox.ru', 'interia.pl', 'keemail.me',
      'laposte.net', 'libero.it', 'list.ru', 'mac.com', 'mail.com', 'mail.de', 'mail.ru', 'mailbox.org', 'mailinator.com',
      'mail.yahoo.com', 'me.com', 'naver.com', 'o2.pl', 'onet.pl', 'online.de', 'orange.fr', 'passmail.net', 'pm.me',
      'posteo.de', 'posteo.net', 'proton.me', 'protonmail.ch', 'protonmail.com', 'qq.com', 'rambler.ru', 'rediffmail.com',
      'riseup.net', 'runbox.com', 'sbcglobal.net', 'seznam.cz', 'sfr.fr', 'sina.com', 'sky.com', 'sohu.com', 't-online.de',
      'talktalk.net', 'tiscali.it', 'tuta.com', 'tuta.io', 'tutamail.com', 'tutanota.com', 'tutanota.de', 'ukr.net',
      'uol.com.br', 'verizon.net', 'virgilio.it', 'virginmedia.com', 'vk.com', 'vodafone.de', 'wanadoo.fr', 'web.de',
      'wp.pl', 'ya.ru', 'yandex.com', 'yandex.ru', 'yeah.net', 'zoho.com'])
$$;
comment on function app.is_public_mail_domain is
  'Whether anyone can get an address of this domain: common mail providers. A workspace that lists one would admit everyone.';

create function app.may_sign_up(address text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select address like '_%@_%' and (
    exists (select from public.workspace_domains d where d.domain = app.mail_domain(address))
    or exists (select from public.workspaces w where w.open_requests))
$$;
comment on function app.may_sign_up is 'Whether there is a workspace that an address may join or ask to join, once it is confirmed.';

-- Events and the audit log -----------------------------------------------------------------------------

create function app.notify_join_request() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  request constant public.join_requests := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(n.profile_id, 'join_requests', jsonb_build_object('workspace_id', request.workspace_id))
  from (
    select request.profile_id
    union
    select m.profile_id from public.workspace_members m
    where m.workspace_id = request.workspace_id and m.role in ('owner', 'admin') and app.is_active_member(m)
  ) n;
  return null;
end
$$;
comment on function app.notify_join_request is
  'Notifies the person who asks, and those who manage the workspace, of a changed request; they fetch it, with their own '
  'rights.';
create trigger join_requests_are_broadcast after insert or update or delete on public.join_requests
  for each row execute function app.notify_join_request();
comment on trigger join_requests_are_broadcast on public.join_requests is 'Withdrawn too.';

create function app.record_join_decision() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.record_action(new.workspace_id, 'join_request.' || new.state, jsonb_build_object('profile_id', new.profile_id));
  return null;
end
$$;
comment on function app.record_join_decision is 'Records who approved or declined the request of a person to join.';
create trigger join_decisions_are_recorded after update of state on public.join_requests
  for each row when (old.state = 'waiting' and new.state <> 'waiting') execute function app.record_join_decision();
comment on trigger join_decisions_are_recorded on public.join_requests is
  'Not who asks: they are no member, and their profile may be deleted.';

create function app.record_domain_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.workspace_domains := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.record_action(changed.workspace_id,
    case tg_op when 'INSERT' then 'domain.added' when 'DELETE' then 'domain.removed' else 'domain.changed' end,
    jsonb_build_object('domain', changed.domain) || case tg_op
      when 'UPDATE' then jsonb_build_object('from', old.admission, 'to', new.admission)
      when 'INSERT' then jsonb_build_object('admission', new.admission) else '{}' end);
  return null;
end
$$;
comment on function app.record_domain_change is 'Records the mail domains that may join a workspace.';
create trigger domain_changes_are_recorded after insert or delete or update of admission on public.workspace_domains
  for each row execute function app.record_domain_change();
comment on trigger domain_changes_are_recorded on public.workspace_domains is 'A domain can admit many people.';

create function app.record_default_channel_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.default_channels := case when tg_op = 'DELETE' then old else new end;
begin
  -- Its kind: list_audit_log hides channels that became private from those who cannot read them.
  perform app.record_action(changed.workspace_id,
    case tg_op when 'INSERT' then 'default_channel.added' else 'default_channel.removed' end,
    jsonb_build_object('channel_id', changed.channel_id, 'kind', 'public'));
  return null;
end
$$;
comment on function app.record_default_channel_change is 'Records the channels that newcomers start in.';
create trigger default_channel_changes_are_recorded after insert or delete on public.default_channels
  for each row execute function app.record_default_channel_change();
comment on trigger default_channel_changes_are_recorded on public.default_channels is
  'Also for channels that were archived, became private or were deleted.';

-- Default channels -------------------------------------------------------------------------------------

create function app.remove_default_channel() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.default_channels d where d.channel_id = new.id;
  return null;
end
$$;
comment on function app.remove_default_channel is 'Newcomers start in public channels that are not archived only.';
create trigger closed_channels_are_no_default after update of kind, archived_at on public.channels
  for each row when (new.kind <> 'public' or new.archived_at is not null) execute function app.remove_default_channel();
comment on trigger closed_channels_are_no_default on public.channels is 'Deleted ones go with the foreign key.';

create function app.default_channel_ids(workspace uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  chosen constant uuid[] := array(
    select d.channel_id from public.default_channels d join public.channels c on c.id = d.channel_id
    where d.workspace_id = workspace order by c.created_at, c.id);
begin
  if cardinality(chosen) > 0 then return chosen; end if;
  return array(
    select c.id from public.channels c
    where c.workspace_id = workspace and c.kind = 'public' and c.archived_at is null
    order by c.created_at, c.id limit 1);
end
$$;
comment on function app.default_channel_ids is
  'The channels that a newcomer starts in: the chosen ones, oldest first, otherwise the oldest public channel.';

-- Admitting --------------------------------------------------------------------------------------------

create function app.admit_member(
  workspace uuid, account uuid, person_name text, invitation public.invitations default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  named constant uuid[] := array(
    select o.channel_id from public.invitation_channels o where o.invitation_id = invitation.id);
  -- Guests start in the channels that their invitation names.
  takes_default constant boolean := cardinality(named) = 0 and coalesce(invitation.role, 'member') <> 'guest';
  me public.profiles;
  membership public.workspace_members;
  joins boolean;
  former uuid[] := '{}';
  opened uuid;
  added boolean := false;
  first_channel uuid;
begin
  select * into me from public.profiles p where p.user_id = account;
  select * into membership from public.workspace_members w
  where w.workspace_id = workspace and w.profile_id = me.id for update;
  joins := membership.profile_id is null or not app.is_active_member(membership);
  if joins then
    if me.id is null or person_name is not null then
      insert into public.profiles (user_id, name)
      values (account, app.require_name(person_name, 'profiles_name_length'))
      on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
      returning * into me;
    end if;
    insert into public.workspace_members (workspace_id, profile_id, role, expires_at)
    values (workspace, me.id, coalesce(invitation.role, 'member'), now() + make_interval(days => invitation.access_days))
    on conflict (workspace_id, profile_id) do update
    set role = excluded.role, state = 'active', expires_at = excluded.expires_at, deactivated_at = null
    where workspace_members.profile_id = excluded.profile_id;
    delete from public.join_requests r
    where r.workspace_id = workspace and r.profile_id = me.id and r.state = 'waiting';
    -- A person who returns joins the channels of this invitation only: the inviter may not know the former ones. The history
    -- of a guest starts with the return. Direct and group conversations stay.
    if membership.profile_id is not null then
      former := array(
        select m.channel_id from public.channel_members m join public.channels c on c.id = m.channel_id
        where m.profile_id = me.id and c.workspace_id = workspace and c.kind in ('public', 'private'));
    end if;
  end if;
  -- All in one order. Read under their locks: a channel that became private or was archived a moment ago is not opened.
  perform app.lock_channels(former || named || case when joins and takes_default
    then app.default_channel_ids(workspace) else '{}' end);
  delete from public.channel_members m where m.profile_id = me.id and m.channel_id = any (former);
  for opened in
    select c.id from public.channels c
    where c.id in (
      select o.channel_id from app.channels_of_invitation(invitation) o
      where not exists (
        -- As with the workspace: a person who was removed, or was invited by one who was, needs a newer invitation.
        select from public.channel_removals r
        where r.channel_id = o.channel_id and r.profile_id in (me.id, invitation.invited_by)
          and (r.removed_at >= invitation.created_at or (r.profile_id = me.id and invitation.email is null)))
      union all
      select d.id from unnest(app.default_channel_ids(workspace)) d (id)
      where joins and takes_default and not exists (
        select from public.channel_removals r where r.channel_id = d.id and r.profile_id = me.id))
    order by c.created_at, c.id
  loop
    -- A used-up invitation opens nothing more for those who are members already, and none does for paused ones.
    if joins or (invitation.uses < invitation.max_uses and app.can_open_workspace(me.id, workspace)) then
      added := app.add_channel_member(opened, me.id, me.id, 'member') or added;
    end if;
    first_channel := coalesce(first_channel, opened);
  end loop;
  if joins and invitation.role = 'guest' and not added then
    raise exception using errcode = 'PT410', message = 'invitation_without_channels';
  end if;
  if joins or added then
    update public.invitations i set uses = i.uses + 1 where i.id = invitation.id;
  end if;
  return jsonb_build_object('workspace', app.workspace_as_json(workspace), 'profile', app.profile_as_json(me),
    'channel_id', first_channel);
end
$$;
comment on function app.admit_member is
  'Makes the person of an account an active member, for the first time or again, in the channels that the invitation names or '
  'else in the default ones, and counts the use of the invitation. Without an invitation the role is member. An active '
  'member only joins the named channels. Callers check before that the person may be admitted.';

-- Managing ---------------------------------------------------------------------------------------------

create function app.joining_settings_as_json(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'domains', coalesce((
      select jsonb_agg(jsonb_build_object('domain', d.domain, 'admission', d.admission) order by d.domain)
      from public.workspace_domains d where d.workspace_id = workspace), '[]'),
    'open_requests', (select w.open_requests from public.workspaces w where w.id = workspace),
    'default_channels', coalesce((
      select jsonb_agg(c.id order by c.created_at, c.id)
      from public.default_channels d join public.channels c on c.id = d.channel_id where d.workspace_id = workspace), '[]'),
    'requests', coalesce((
      select jsonb_agg(jsonb_build_object('id', r.id, 'name', p.name, 'email', r.email, 'note', r.note,
        'created_at', r.created_at, 'is_former', exists (
          select from public.workspace_members m
          where m.workspace_id = r.workspace_id and m.profile_id = r.profile_id
          union all
          select from public.member_addresses a
          where a.workspace_id = r.workspace_id and a.address = app.hash_mailbox(r.workspace_id, r.email))
        ) order by r.created_at, r.id)
      from public.join_requests r
      join public.profiles p on p.id = r.profile_id
      where r.workspace_id = workspace and r.state = 'waiting' and app.has_usable_account(r.profile_id)), '[]'));
end
$$;
comment on function app.joining_settings_as_json is
  'Who may join a workspace without an invitation, where newcomers start, and who asks, oldest first.';

create function public.joining_settings(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner', 'admin');
  return app.joining_settings_as_json(workspace);
end
$$;
comment on function public.joining_settings is
  'Mail domains, default channels and waiting requests of a workspace, for its owners and admins.';

create function public.set_joining_domain(workspace uuid, domain text, admission text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  listed constant text := app.ascii_domain(regexp_replace(btrim(set_joining_domain.domain), '^@', ''));
begin
  -- Concurrent calls would not count each other's domains.
  perform from public.workspaces w where w.id = workspace and me is not null for no key update;
  if set_joining_domain.admission is null then
    delete from public.workspace_domains d where d.workspace_id = workspace and d.domain = listed;
    return app.joining_settings_as_json(workspace);
  end if;
  if set_joining_domain.admission not in ('join', 'request') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif listed is null or listed !~ '[.]' then
    raise exception using errcode = 'PT400', message = 'workspace_domains_form';
  elsif app.is_public_mail_domain(listed) then
    raise exception using errcode = 'PT400', message = 'public_mail_domain';
  elsif (select count(*) from public.workspace_domains d where d.workspace_id = workspace and d.domain <> listed) >= 20 then
    raise exception using errcode = 'PT409', message = 'too_many_domains';
  end if;
  insert into public.workspace_domains as d (workspace_id, domain, admission)
  values (workspace, listed, set_joining_domain.admission)
  on conflict (workspace_id, domain) do update set admission = excluded.admission where d.admission <> excluded.admission;
  return app.joining_settings_as_json(workspace);
end
$$;
comment on function public.set_joining_domain is
  'Lists a mail domain whose confirmed addresses may join (join) or request to (request), at most 20, or removes it (null). For owners '
  'and admins. Public mail providers are refused.';

create function public.set_joining_options(
  workspace uuid, open_requests boolean default null, default_channels uuid[] default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  chosen constant uuid[] := array(select distinct c from unnest(set_joining_options.default_channels[1:21]) c where c is not null);
begin
  update public.workspaces w set open_requests = set_joining_options.open_requests
  where w.id = workspace and me is not null and w.open_requests <> set_joining_options.open_requests;
  if set_joining_options.default_channels is null then return app.joining_settings_as_json(workspace); end if;
  if cardinality(chosen) > 20 or cardinality(set_joining_options.default_channels) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_default_channels';
  end if;
  -- Checked under their locks: one may become private or be archived concurrently.
  perform app.lock_channels(chosen);
  if (select count(*) from public.channels c
      where c.id = any (chosen) and c.workspace_id = workspace and c.kind = 'public') <> cardinality(chosen)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif exists (select from public.channels c where c.id = any (chosen) and c.archived_at is not null) then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  delete from public.default_channels d where d.workspace_id = workspace and d.channel_id <> all (chosen);
  insert into public.default_channels (workspace_id, channel_id) select workspace, c from unnest(chosen) c
  on conflict (channel_id) do nothing;
  return app.joining_settings_as_json(workspace);
end
$$;
comment on function public.set_joining_options is
  'Sets whether anyone with an account may ask to join, and the up to 20 public channels that newcomers start in; null leaves '
  'one as it is. For owners and admins.';

create function app.require_join_request(id uuid) returns public.join_requests
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  request public.join_requests;
begin
  select r.* into request from public.join_requests r
  where r.id = require_join_request.id and r.workspace_id in (select app.my_managed_workspace_ids()) for update;
  if request.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Who may decide is who may invite.
  if not app.can_invite(me, request.workspace_id, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return request;
end
$$;
comment on function app.require_join_request is
  'A request that the caller may decide, locked: of two admins who decide concurrently, the second sees the decision.';

create function public.approve_join_request(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  request constant public.join_requests := app.require_join_request(approve_join_request.id);
  account uuid;
  membership public.workspace_members;
begin
  if request.state = 'declined' then
    raise exception using errcode = 'PT409', message = 'join_request_closed';
  elsif request.state = 'waiting' then
    select u.id into account from auth.users u join public.profiles p on p.user_id = u.id
    where p.id = request.profile_id and lower(u.email) = request.email and u.email_confirmed_at is not null
      and app.has_usable_account(p.id);
    if account is null then
      raise exception using errcode = 'PT409', message = 'join_request_closed';
    end if;
    select m.* into membership from public.workspace_members m
    where m.workspace_id = request.workspace_id and m.profile_id = request.profile_id for update;
    if membership.profile_id is not null and not app.is_active_member(membership) and membership.ended is null then
      raise exception using errcode = 'PT409', message = 'membership_ended';
    end if;
    update public.join_requests r set state = 'approved', decided_at = now(), note = '' where r.id = request.id;
    perform app.admit_member(request.workspace_id, account, null);
  end if;
  return jsonb_build_object('id', request.id, 'state', 'approved');
end
$$;
comment on function public.approve_join_request is
  'Makes a person who asks a member, at once. For owners and admins. Fails with join_request_closed after another decision.';

create function public.decline_join_request(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  request constant public.join_requests := app.require_join_request(decline_join_request.id);
begin
  if request.state = 'approved' then
    raise exception using errcode = 'PT409', message = 'join_request_closed';
  end if;
  update public.join_requests r set state = 'declined', decided_at = now(), note = ''
  where r.id = request.id and r.state = 'waiting';
  return jsonb_build_object('id', request.id, 'state', 'declined');
end
$$;
comment on function public.decline_join_request is
  'Declines a request to join, for owners and admins: the person can ask again after 30 days.';

-- Joining and asking -----------------------------------------------------------------------------------

create function app.require_confirmed_account() returns auth.users
language plpgsql stable security definer set search_path = ''
as $$
declare
  account auth.users;
begin
  perform app.require_own_session();
  select * into account from auth.users u where u.id = auth.uid();
  if account.is_anonymous or account.email_confirmed_at is null or coalesce(account.email, '') = ''
    or exists (select from public.profiles p where p.user_id = account.id and p.kind = 'bot')
  then
    raise exception using errcode = 'PT409', message = 'email_address_missing';
  end if;
  account.email := lower(account.email);
  return account;
end
$$;
comment on function app.require_confirmed_account is
  'The account of the caller, a person with a confirmed address; otherwise fails with session_ended, not_allowed or '
  'email_address_missing. Only confirmed addresses count: anyone can enter one of somebody else.';

create function app.admission_of(account auth.users, workspace uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    -- Members are in already. Those who were deactivated, or whose access expired, are reactivated by an admin or not: also
    -- where they have another account.
    when known.is_excluded then null
    -- An admin decides about people who left, were removed, or have another account that is a member.
    when d.admission = 'join' and known.is_known then 'request'
    when d.admission is not null then d.admission
    when w.open_requests then 'request' end
  from public.workspaces w
  left join public.workspace_domains d on d.workspace_id = w.id and d.domain = app.mail_domain(account.email)
  left join public.profiles p on p.user_id = account.id
  cross join lateral (
    select count(*) > 0 as is_known,
      bool_or(o.ended is null and (o.profile_id is not distinct from p.id or not app.is_active_member(o))) as is_excluded
    from public.workspace_members o
    where o.workspace_id = w.id and o.profile_id in (
      select p.id
      union all
      select a.profile_id from public.member_addresses a
      where a.workspace_id = w.id and a.address = app.hash_mailbox(w.id, account.email))) known
  where w.id = admission_of.workspace
$$;
comment on function app.admission_of is
  'Whether the person of an account may join a workspace (join) or request to (request); null: neither. An account with an '
  'address that a member has or had never joins at once.';

create function public.list_joinable_workspaces() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  account constant auth.users := app.require_confirmed_account();
  me public.profiles;
begin
  select * into me from public.profiles p where p.user_id = account.id;
  return jsonb_build_object('profile_id', me.id, 'name', me.name, 'is_set_up', exists (select from public.workspaces),
    'workspaces', coalesce((
    select jsonb_agg(jsonb_build_object('id', j.id, 'name', j.name, 'admission', j.admission, 'request', case
        when j.request_id is not null then jsonb_build_object('id', j.request_id, 'state', j.state, 'note', j.note,
          'created_at', j.requested_at, 'may_request_at', j.decided_at + interval '30 days') end)
      order by j.created_at, j.id)
    from (
      select w.id, w.name, w.created_at, app.admission_of(account, w.id) as admission, r.id as request_id, r.state, r.note,
        r.created_at as requested_at, r.decided_at
      from public.workspaces w
      left join public.join_requests r on r.workspace_id = w.id and r.profile_id = me.id
        and (r.state = 'waiting' or r.state = 'declined' and r.decided_at > now() - interval '30 days')
      where w.id in (
        select d.workspace_id from public.workspace_domains d where d.domain = app.mail_domain(account.email)
        union all
        (select o.id from public.workspaces o where o.open_requests order by o.created_at limit 100)
        union all
        select q.workspace_id from public.join_requests q where q.profile_id = me.id)
      order by r.id is null, w.created_at, w.id limit 100
    ) j
    where j.admission is not null or j.state = 'waiting'), '[]'));
end
$$;
comment on function public.list_joinable_workspaces is
  'Workspaces that the caller may join or ask to join by their confirmed address, and those that they have asked; the '
  'first 100. Workspaces in which they are members are not among them. is_set_up is false before the first workspace exists: '
  'its creation needs the setup link.';

create function public.join_workspace(workspace uuid, person_name text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant auth.users := app.require_confirmed_account();
begin
  -- Removing the domain waits until the person is a member, or is seen here.
  perform from public.workspace_domains d
  where d.workspace_id = workspace and d.domain = app.mail_domain(account.email) for share;
  -- Locked, so that somebody who is being removed is not admitted again.
  perform from public.workspace_members m join public.profiles p on p.id = m.profile_id
  where m.workspace_id = workspace and p.user_id = account.id for update of m;
  -- Repeated by a member it returns the same.
  if app.my_role(workspace) is null and app.admission_of(account, workspace) is distinct from 'join' then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return app.admit_member(workspace, account.id, person_name);
end
$$;
comment on function public.join_workspace is
  'Makes the caller a member of a workspace that lists the domain of their confirmed address as one that joins at once.';

create function public.request_to_join(workspace uuid, note text default '', person_name text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  account constant auth.users := app.require_confirmed_account();
  me public.profiles;
  former public.join_requests;
  request public.join_requests;
begin
  if app.admission_of(account, workspace) is distinct from 'request' then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if char_length(request_to_join.note) > 500 then
    raise exception using errcode = 'PT400', message = 'join_requests_note_length';
  end if;
  -- Both locked for the limits below.
  select * into me from public.profiles p where p.user_id = account.id for no key update;
  if me.id is null then
    insert into public.profiles (user_id, name)
    values (account.id, app.require_name(person_name, 'profiles_name_length'))
    on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
    returning * into me;
  end if;
  perform from public.workspaces w where w.id = workspace for no key update;
  select * into former from public.join_requests r where r.workspace_id = workspace and r.profile_id = me.id;
  if former.state = 'declined' and former.decided_at > now() - interval '30 days' then
    raise exception using errcode = 'PT409', message = 'join_request_declined';
  elsif former.state is distinct from 'waiting' then
    if (select count(*) from public.join_requests r where r.profile_id = me.id and r.state = 'waiting') >= 5 then
      raise exception using errcode = 'PT409', message = 'too_many_join_requests';
    elsif (select count(*) from public.join_requests r where r.workspace_id = workspace and r.state = 'waiting') >= 100 then
      raise exception using errcode = 'PT409', message = 'join_requests_full';
    end if;
  end if;
  insert into public.join_requests as r (workspace_id, profile_id, email, note)
  values (workspace, me.id, account.email, btrim(coalesce(request_to_join.note, '')))
  on conflict (workspace_id, profile_id) do update
  set email = excluded.email, note = excluded.note, state = 'waiting', decided_at = null,
    created_at = case when r.state = 'waiting' then r.created_at else now() end
  returning r.* into request;
  return jsonb_build_object('id', request.id, 'state', request.state);
end
$$;
comment on function public.request_to_join is
  'Asks to join a workspace that lists the domain of the caller''s confirmed address, or is open to requests. Repeated, it '
  'replaces the note. Fails with join_request_declined for 30 days after a refusal.';

create function app.delete_unused_profile(person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.profiles p
  where p.id = person and p.kind = 'person'
    and not exists (select from public.workspace_members m where m.profile_id = person)
    and not exists (select from public.join_requests r where r.profile_id = person);
end
$$;
comment on function app.delete_unused_profile is
  'Deletes the profile of somebody who never was in a workspace and asks none any more: nobody sees it.';

create function public.withdraw_join_request(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  account constant auth.users := app.require_confirmed_account();
  request public.join_requests;
begin
  select r.* into request from public.join_requests r join public.profiles p on p.id = r.profile_id
  where r.id = withdraw_join_request.id and p.user_id = account.id for update of r;
  if request.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif request.state <> 'waiting' then
    raise exception using errcode = 'PT409', message = 'join_request_closed';
  end if;
  delete from public.join_requests r where r.id = request.id;
  perform app.delete_unused_profile(request.profile_id);
  return jsonb_build_object('id', request.id);
end
$$;
comment on function public.withdraw_join_request is 'Deletes a waiting request of the caller.';

create function app.end_join_requests_of_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  person constant uuid := (select p.id from public.profiles p where p.user_id = old.id);
begin
  if person is not null then
    delete from public.join_requests r where r.profile_id = person and (tg_op = 'DELETE' or r.state = 'waiting');
    if found and tg_op = 'DELETE' then perform app.delete_unused_profile(person); end if;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
comment on function app.end_join_requests_of_account is
  'Ends requests that were made with an address that the account no longer has.';
create trigger end_join_requests before delete or update of email on auth.users
  for each row execute function app.end_join_requests_of_account();

create function app.delete_old_join_requests() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  person uuid;
begin
  for person in
    with old as (
      delete from public.join_requests r where r.state <> 'waiting' and r.decided_at <= now() - interval '30 days'
      returning r.profile_id)
    select distinct o.profile_id from old o
  loop
    perform app.delete_unused_profile(person);
  end loop;
end
$$;
comment on function app.delete_old_join_requests is
  'Deletes requests that were decided 30 days ago, with the profiles of those who have not become members.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.joining_settings, public.set_joining_domain, public.set_joining_options,
  public.approve_join_request, public.decline_join_request, public.list_joinable_workspaces, public.join_workspace,
  public.request_to_join, public.withdraw_join_request from public, anon, authenticated, service_role;
grant execute on function public.joining_settings, public.set_joining_domain, public.set_joining_options,
  public.approve_join_request, public.decline_join_request, public.list_joinable_workspaces, public.join_workspace,
  public.request_to_join, public.withdraw_join_request to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete join requests', '37 * * * *', 'select app.delete_old_join_requests()');
