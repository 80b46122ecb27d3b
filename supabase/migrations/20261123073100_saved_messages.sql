-- Messages that a person has saved for later, on all their devices.

-- Tables -----------------------------------------------------------------------------------------------

create sequence app.saved_revs;

create table public.saved_messages (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  message_id uuid not null references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  state text not null constraint saved_messages_state_known check (state in ('saved', 'done')),
  saved_at timestamptz not null default clock_timestamp(),
  rev bigint not null default nextval('app.saved_revs'),
  primary key (profile_id, message_id)
);
create index saved_messages_message on public.saved_messages (message_id);
create index saved_messages_channel on public.saved_messages (channel_id);
comment on table public.saved_messages is
  'Messages that a person has saved for later, without their text: it is read with the person''s own rights, so a message '
  'that they may not read any more reveals nothing. At most 500 for each person. Written by save_message.';
comment on column public.saved_messages.state is 'saved, or done: kept in a list of its own.';
comment on column public.saved_messages.rev is 'Orders the changes for the devices that receive them.';
alter table public.saved_messages enable row level security;
create policy "people see what they have saved" on public.saved_messages
  for select to authenticated using (profile_id = (select app.my_profile_id()));
comment on policy "people see what they have saved" on public.saved_messages is
  'Nobody else sees it. Also where the message is not readable any more, so that it can be removed from the list.';
revoke all on public.saved_messages from public, anon, authenticated, service_role;
grant select on public.saved_messages to authenticated;
grant select, insert, update, delete on public.saved_messages to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.saved_message_as_json(saved public.saved_messages) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', saved.message_id, 'channel_id', saved.channel_id, 'state', saved.state,
    'saved_at', saved.saved_at, 'rev', saved.rev)
$$;
comment on function app.saved_message_as_json is 'A saved message as its owner''s devices get it.';

create function app.notify_saved_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.saved_messages := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'saved', app.saved_message_as_json(changed)
    || case when tg_op = 'DELETE' then '{"state": null}'::jsonb else '{}' end
    || jsonb_build_object('workspace_id', (select c.workspace_id from public.channels c where c.id = changed.channel_id)));
  return null;
end
$$;
comment on function app.notify_saved_message is 'Sends a changed saved message to the other devices of its owner.';
create trigger saved_messages_are_broadcast after insert or update or delete on public.saved_messages
  for each row execute function app.notify_saved_message();

-- Commands ---------------------------------------------------------------------------------------------

create function public.save_message(message uuid, state text default 'saved') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  target public.messages;
  saved public.saved_messages;
begin
  if save_message.state is null then
    delete from public.saved_messages s where s.profile_id = me and s.message_id = message;
    return jsonb_build_object('saved', null);
  elsif save_message.state not in ('saved', 'done') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  -- Two requests of one person are counted together.
  perform from public.profiles p where p.id = me for no key update;
  select * into saved from public.saved_messages s where s.profile_id = me and s.message_id = message;
  if saved.message_id is null then
    select m.* into target from public.messages m
    join app.my_readable_channels() r on r.channel_id = m.channel_id and m.base_seq >= r.history_from_seq
    where m.id = message;
    if target.id is null then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif target.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    elsif (select count(*) from public.saved_messages s where s.profile_id = me) >= 500 then
      raise exception using errcode = 'PT400', message = 'saved_at_most_500';
    end if;
    insert into public.saved_messages (profile_id, message_id, channel_id, state)
    values (me, message, target.channel_id, save_message.state) returning * into saved;
  elsif saved.state <> save_message.state then
    update public.saved_messages s set state = save_message.state, rev = nextval('app.saved_revs')
    where s.profile_id = me and s.message_id = message returning * into saved;
  end if;
  return jsonb_build_object('saved', app.saved_message_as_json(saved));
end
$$;
comment on function public.save_message is
  'Saves a message for the caller, changes whether it is done, or removes it from their list (`state` null).';

-- Differences ------------------------------------------------------------------------------------------

create or replace function app.own_differences(viewer uuid, workspace uuid, stored jsonb, changed app.differences)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  digest text;
  buckets integer[];
begin
  changed.own := '{}';
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(d.id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(d.id, d.rev, d.change_id), 0)) as hash
    from public.drafts d join public.channels c on c.id = d.channel_id
    where d.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'drafts' then
    buckets := app.changed_buckets(stored ->> 'drafts', digest);
    changed.digests := changed.digests || jsonb_build_object('drafts', digest);
    changed.own := changed.own || jsonb_build_object('drafts', coalesce((
      select jsonb_agg(app.draft_as_json(d)) from public.drafts d join public.channels c on c.id = d.channel_id
      where d.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(d.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.message_id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(s.message_id, s.rev, s.state), 0)) as hash
    from public.saved_messages s join public.channels c on c.id = s.channel_id
    where s.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'saved' then
    buckets := app.changed_buckets(stored ->> 'saved', digest);
    changed.digests := changed.digests || jsonb_build_object('saved', digest);
    changed.own := changed.own || jsonb_build_object('saved', coalesce((
      select jsonb_agg(app.saved_message_as_json(s))
      from public.saved_messages s join public.channels c on c.id = s.channel_id
      where s.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(s.message_id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  return changed;
end
$$;

-- People -----------------------------------------------------------------------------------------------

create or replace function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;

-- Rate limits ------------------------------------------------------------------------------------------

create or replace function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
  is_read_only constant boolean := current_setting('transaction_read_only') = 'on';
begin
  if is_read_only and path not like '/rpc/%' then return; end if;
  if auth.uid() is null then return; end if;
  perform app.check_oauth_client(path);
  -- Read-only transactions cannot count, and broadcast nothing.
  if is_read_only then return; end if;
  perform app.consume_rate_limit(case
    when path in ('/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message') then 'message'
    when path in ('/rpc/react', '/rpc/pin_message', '/rpc/close_poll') then 'reaction'
    when path = '/rpc/typing' then 'typing'
    when path = '/profiles' then 'profile'
    when path in ('/channel_state', '/sections', '/rpc/heartbeat', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread', '/rpc/save_draft',
      '/rpc/save_message') then 'own'
    else 'other'
  end);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.save_message from public, anon, authenticated, service_role;
grant execute on function public.save_message to authenticated;
