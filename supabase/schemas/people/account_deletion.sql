-- The deletion of an account by its person. It is carried out after a waiting period, in which the person can sign in and keep the
-- account. An account is one for all workspaces of the server. Decision 103 gives the reasons.

create table public.account_deletions (
  user_id uuid primary key references auth.users (id) on delete cascade,
  deletes_messages boolean not null,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null
);
create index account_deletions_due on public.account_deletions (due_at);
comment on table public.account_deletions is
  'The accounts that their people have asked to delete. Read by my_account_deletion. No access for clients.';
comment on column public.account_deletions.deletes_messages is
  'Whether the messages of the person in their workspaces are erased too. Otherwise they stay, under the name "Former member".';
comment on column public.account_deletions.due_at is 'When the deletion begins. Until then the person can keep the account.';
alter table public.account_deletions enable row level security;
revoke all on public.account_deletions from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.account_deletions to service_role;

insert into public.settings (key, value) values ('account_deletion_days', '7');

-- Commands ---------------------------------------------------------------------------------------------

create function app.channels_of_deletion(person uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select c.id from public.workspace_members w join public.channels c on c.workspace_id = w.workspace_id
    where w.profile_id = person and app.is_active_member(w));
end
$$;
comment on function app.channels_of_deletion is
  'The channels in which the deletion of an account erases the messages of its person: those of their workspaces. The owners of '
  'a workspace that the person is not in any more decide about the messages there.';

create function app.account_deletion_as_json(account uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  person constant uuid := (select p.id from public.profiles p where p.user_id = account);
  channels constant uuid[] := app.channels_of_deletion(person);
begin
  return jsonb_build_object(
    'days', (select s.value from public.settings s where s.key = 'account_deletion_days'),
    'due_at', (select d.due_at from public.account_deletions d where d.user_id = account),
    'deletes_messages', (select d.deletes_messages from public.account_deletions d where d.user_id = account),
    'messages', (
      select count(*) from (
        select from public.messages m
        where m.author_id = person and m.channel_id = any (channels) and m.kind = 'text' and m.deleted_at is null
        limit 10000) counted),
    'workspaces', coalesce((
      select jsonb_agg(w.name order by w.created_at, w.id)
      from public.workspace_members m join public.workspaces w on w.id = m.workspace_id
      where m.profile_id = person and app.is_active_member(m)), '[]'),
    'owned_alone', coalesce((
      select jsonb_agg(w.name order by w.created_at, w.id)
      from public.workspace_members m join public.workspaces w on w.id = m.workspace_id
      where m.profile_id = person and m.role = 'owner' and app.is_active_member(m) and not exists (
        select from public.workspace_members o
        where o.workspace_id = m.workspace_id and o.profile_id <> person and o.role = 'owner' and app.is_active_member(o)
          and not app.has_lost_account(o.profile_id))), '[]'));
end
$$;
comment on function app.account_deletion_as_json is
  'What the deletion of an account concerns: messages, counted up to 10,000, workspaces, those without another owner, and when it '
  'is due; null unless it was requested.';

create function public.my_account_deletion() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_own_session();
  return app.account_deletion_as_json(auth.uid());
end
$$;
comment on function public.my_account_deletion is
  'What the deletion of the caller''s account would concern, and when it is due; null unless it was requested.';

create function public.request_account_deletion(address text, deletes_messages boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
  me public.profiles;
  owned uuid;
begin
  perform app.require_own_session();
  if request_account_deletion.deletes_messages is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform from auth.users u
  where u.id = account
    and lower(btrim(request_account_deletion.address)) = lower(coalesce(nullif(u.email, ''), u.phone))
  for no key update;
  if not found then
    raise exception using errcode = 'PT400', message = 'other_address';
  end if;
  select p.* into me from public.profiles p where p.user_id = account;
  if me.kind <> 'person' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  for owned in
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me.id and m.role = 'owner' and app.is_active_member(m) order by m.workspace_id
  loop
    perform app.lock_members(owned, array[me.id]);
    perform app.require_other_owner(owned, me.id);
  end loop;
  insert into public.account_deletions as d (user_id, deletes_messages, due_at)
  select account, request_account_deletion.deletes_messages, now() + make_interval(days => s.value::integer)
  from public.settings s where s.key = 'account_deletion_days'
  on conflict (user_id) do update set deletes_messages = excluded.deletes_messages where d.due_at > now();
  perform app.record_account_action(account, 'account.deletion_requested', true);
  perform app.queue_account_mail(account, '{"about": "deletion_requested"}');
  perform app.explain_ended_sessions('deletion_requested');
  delete from auth.sessions s where s.user_id = account;
  return app.account_deletion_as_json(account);
end
$$;
comment on function public.request_account_deletion is
  'Lets the caller''s account be deleted after the waiting period (setting account_deletion_days), with all their messages or '
  'without. The person enters the address of the account. All its sessions end. Fails with other_address for another one, and '
  'with last_owner for the only owner of a workspace.';

create function public.cancel_account_deletion() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
begin
  perform app.require_own_session();
  delete from public.account_deletions d where d.user_id = account and d.due_at > now();
  if found then perform app.record_account_action(account, 'account.deletion_cancelled', true); end if;
  return app.account_deletion_as_json(account);
end
$$;
comment on function public.cancel_account_deletion is 'Ends the waiting period: the account stays. Not once the deletion has begun.';

-- Carrying out -----------------------------------------------------------------------------------------

create function app.erase_some_messages_of(person uuid, max_messages integer default 200) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  channels constant uuid[] := app.channels_of_deletion(person);
  channel constant uuid := (
    select m.channel_id from public.messages m
    where m.author_id = person and m.channel_id = any (channels) and m.kind = 'text' and m.deleted_at is null limit 1);
  ids uuid[];
  message public.messages;
begin
  if channel is null then return false; end if;
  ids := array(
    select m.id from public.messages m
    where m.author_id = person and m.channel_id = channel and m.kind = 'text' and m.deleted_at is null
    order by m.id limit max_messages);
  -- Messages with their roots, then the channel: the order of all commands.
  perform from public.messages m
  where m.id = any (ids)
    or m.id in (select r.thread_root from public.messages r where r.id = any (ids) and r.thread_root is not null)
  order by m.id for no key update;
  perform app.lock_channels(array[channel]);
  for message in select m.* from public.messages m where m.id = any (ids) and m.deleted_at is null order by m.id loop
    perform app.erase_message(message, null);
  end loop;
  return true;
end
$$;
comment on function app.erase_some_messages_of is
  'Erases some messages of a person in one channel, as delete_message does; false if there are none.';

create function app.delete_account(account uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  owner auth.users;
  person uuid;
  workspace uuid;
begin
  -- An account that its person has kept meanwhile stays.
  perform from public.account_deletions d where d.user_id = account and d.due_at <= now() for update;
  if not found then return; end if;
  select u.* into owner from auth.users u where u.id = account for update;
  person := (select p.id from public.profiles p where p.user_id = account and p.kind = 'person');
  if owner.email <> '' and owner.email_confirmed_at is not null then
    perform app.queue_account_mail(account, jsonb_build_object('about', 'account_deleted', 'to', owner.email,
      'language', (
        select app.mail_language(m.workspace_id, m.profile_id) from public.workspace_members m
        where m.profile_id = person and app.is_active_member(m) order by m.created_at limit 1)));
  end if;
  for workspace in
    select m.workspace_id from public.workspace_members m
    where m.profile_id = person and app.is_active_member(m) order by m.workspace_id
  loop
    perform app.end_membership(workspace, person, 'left');
  end loop;
  if person is not null then perform app.erase_profile(person); end if;
  delete from public.member_addresses a where a.profile_id = person;
  delete from public.join_requests r where r.profile_id = person;
  delete from public.sign_up_requests r where r.email = lower(owner.email);
  delete from public.invitations i where i.email = lower(owner.email);
  -- Cascades to sessions, second factors, passkeys, recovery codes and the request itself.
  delete from auth.users u where u.id = account;
end
$$;
comment on function app.delete_account is
  'Carries out a deletion that is due: ends the memberships, removes what was the person''s alone and the account, and mails '
  'the person. Workspaces without an owner get a successor.';

create procedure app.delete_due_accounts()
language plpgsql
as $$
declare
  due record;
begin
  for due in
    select d.user_id, d.deletes_messages, p.id as person
    from public.account_deletions d left join public.profiles p on p.user_id = d.user_id
    where d.due_at <= now() order by d.due_at limit 20
  loop
    for _ in 1..100 loop
      exit when not due.deletes_messages or due.person is null or not app.erase_some_messages_of(due.person);
      -- A transaction for each: the locks of a channel end with its batch.
      commit;
    end loop;
    if not due.deletes_messages or not exists (
      select from public.messages m
      where m.author_id = due.person and m.channel_id = any (app.channels_of_deletion(due.person))
        and m.kind = 'text' and m.deleted_at is null)
    then
      perform app.delete_account(due.user_id);
    end if;
    commit;
  end loop;
end
$$;
comment on procedure app.delete_due_accounts is
  'Deletes the accounts whose waiting period has passed: at most 20, and of each at most 20,000 messages before the account. The '
  'next run continues.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.my_account_deletion, public.request_account_deletion, public.cancel_account_deletion
  from public, anon, authenticated, service_role;
grant execute on function public.my_account_deletion, public.request_account_deletion, public.cancel_account_deletion
  to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete accounts', '*/5 * * * *', 'call app.delete_due_accounts()');
