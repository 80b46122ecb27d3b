-- Drafts of messages, the same on all devices of a person. Decision 32 has the reasons.

-- Tables -----------------------------------------------------------------------------------------------

create sequence app.draft_revs;

create table public.drafts (
  id uuid not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  body text not null constraint drafts_body_length check (char_length(body) <= 20000),
  quote_id uuid,
  rev bigint not null default nextval('app.draft_revs'),
  change_id uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (profile_id, id),
  constraint drafts_one_for_each_place check (id = coalesce(thread_root, channel_id))
);
create index drafts_channel on public.drafts (channel_id);
create index drafts_thread on public.drafts (thread_root) where thread_root is not null;
comment on table public.drafts is
  'What a person has written and not sent yet, one row for each channel and thread. A draft that was sent or emptied '
  'stays as a row without content: a device that was offline, or a request that arrives late, must not bring it back. '
  'The latest 100 of these rows are kept, for 30 days. Written by save_draft and send_message.';
comment on column public.drafts.id is 'The thread''s root, or the channel.';
comment on column public.drafts.quote_id is 'The message that is quoted. No foreign key, as in the extras of messages.';
comment on column public.drafts.rev is 'Orders the changes of a draft for the devices that receive them.';
comment on column public.drafts.change_id is
  'The last change: the id of the save, or of the message that was sent. A save names the changes that it replaces.';
alter table public.drafts enable row level security;
create policy "people see their own drafts" on public.drafts
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_readable_channels() r)
  );
comment on policy "people see their own drafts" on public.drafts is
  'Nobody else sees what a person has not sent, the owners of the workspace included.';
revoke all on public.drafts from public, anon, authenticated, service_role;
grant select on public.drafts to authenticated;
grant select, insert, update, delete on public.drafts to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.draft_as_json(draft public.drafts) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', draft.id, 'channel_id', draft.channel_id, 'thread_root', draft.thread_root,
    'body', draft.body, 'quote', draft.quote_id, 'rev', draft.rev, 'change_id', draft.change_id,
    'changed_at', draft.changed_at)
$$;
comment on function app.draft_as_json is 'A draft as its author''s devices get it.';

create function app.notify_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_user(new.profile_id, 'draft', app.draft_as_json(new) || jsonb_build_object(
    'workspace_id', (select c.workspace_id from public.channels c where c.id = new.channel_id)));
  return null;
end
$$;
comment on function app.notify_draft is 'Sends a changed draft to the other devices of its author.';
create trigger drafts_are_broadcast after insert or update on public.drafts
  for each row execute function app.notify_draft();

-- Commands ---------------------------------------------------------------------------------------------

create function public.save_draft(
  id uuid, channel uuid, body text, thread_root uuid default null, quote uuid default null, base uuid[] default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_reader(channel);
  place constant uuid := coalesce(save_draft.thread_root, channel);
  is_empty constant boolean := coalesce(save_draft.body, '') = '' and save_draft.quote is null;
  existing public.drafts;
begin
  if save_draft.id is null or save_draft.body is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif save_draft.thread_root is not null and not exists (
    select from public.messages m
    where m.id = save_draft.thread_root and m.channel_id = channel and m.thread_root is null
      and m.base_seq >= access.history_from_seq)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Devices of one person save one after the other: they are compared with each other, and counted together.
  perform from public.profiles p where p.id = access.profile_id for no key update;
  select * into existing from public.drafts d where d.profile_id = access.profile_id and d.id = place for update;
  if existing.id is null and is_empty then
    return jsonb_build_object('applied', true, 'draft', null);
  elsif existing.change_id = save_draft.id
    or (existing.body = save_draft.body and existing.quote_id is not distinct from save_draft.quote)
  then
    return jsonb_build_object('applied', true, 'draft', app.draft_as_json(existing));
  elsif existing.id is not null and existing.change_id <> all (coalesce(save_draft.base, '{}')) then
    return jsonb_build_object('applied', false, 'draft', app.draft_as_json(existing));
  end if;
  if not is_empty and (existing.id is null or (existing.body = '' and existing.quote_id is null)) and (
    select count(*) from public.drafts d
    where d.profile_id = access.profile_id and (d.body <> '' or d.quote_id is not null)) >= 100
  then
    raise exception using errcode = 'PT400', message = 'drafts_at_most_hundred';
  end if;
  insert into public.drafts as d (profile_id, id, channel_id, thread_root, body, quote_id, change_id)
  values (access.profile_id, place, channel, save_draft.thread_root, save_draft.body, save_draft.quote, save_draft.id)
  on conflict (profile_id, id) do update
  set body = excluded.body, quote_id = excluded.quote_id, change_id = excluded.change_id, rev = excluded.rev,
    changed_at = excluded.changed_at
  returning * into existing;
  if is_empty then perform app.delete_emptied_drafts(access.profile_id); end if;
  return jsonb_build_object('applied', true, 'draft', app.draft_as_json(existing));
end
$$;
comment on function public.save_draft is
  'Saves the caller''s draft for a channel or thread; without content it is emptied. `base`: the changes that this one '
  'replaces. If another device has changed the draft since, nothing is stored, `applied` is false, and the response has '
  'that draft. `id`: the change; repeating it changes nothing more.';

create function app.clear_draft(author uuid, channel uuid, root uuid, message uuid, changes uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- A row even if there was none: a save of the same text that arrives late must not store it again.
  insert into public.drafts as d (profile_id, id, channel_id, thread_root, body, change_id)
  values (author, coalesce(root, channel), channel, root, '', message)
  on conflict (profile_id, id) do update
  set body = '', quote_id = null, change_id = excluded.change_id, rev = excluded.rev, changed_at = excluded.changed_at
  where d.change_id = any (changes);
  if found then perform app.delete_emptied_drafts(author); end if;
end
$$;
comment on function app.clear_draft is
  'Empties the draft that was sent as a message, unless it has changed since these changes.';

create function app.delete_emptied_drafts(author uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  delete from public.drafts d
  where d.profile_id = author and d.id in (
    -- Two messages of one person may be sent at once.
    select l.id from public.drafts l
    where l.profile_id = author and l.body = '' and l.quote_id is null and (
      l.changed_at < now() - interval '30 days' or l.rev <= (
        select o.rev from public.drafts o
        where o.profile_id = author and o.body = '' and o.quote_id is null order by o.rev desc offset 100 limit 1))
    for update skip locked)
$$;
comment on function app.delete_emptied_drafts is
  'Deletes what is kept of emptied drafts after 30 days, and beyond the latest 100 of a person.';

drop function public.send_message;
create function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]', extras jsonb default null, drafts uuid[] default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_reader(channel);
  files constant jsonb := coalesce(send_message.attachments, '[]');
  requested constant jsonb := nullif(send_message.extras, 'null');
  checked jsonb;
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  search_words text[];
  root public.messages;
  counters public.channel_counters;
  sent public.messages;
  mentioned uuid[] := '{}';
  message_json jsonb;
begin
  if send_message.id is null or jsonb_typeof(files) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  end if;
  perform app.require_message_body(send_message.body,
    jsonb_array_length(files) > 0 or coalesce(requested ? 'forward', false));
  perform app.require_extras_shape(requested);
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.split_words(app.searchable_text(coalesce(send_message.body, ''), requested));

  if send_message.thread_root is not null then
    select * into root from public.messages m
    where m.id = send_message.thread_root and m.channel_id = channel for no key update;
  end if;
  select * into counters from public.channel_counters k where k.channel_id = channel for update;
  -- Checked under the lock: of two concurrent requests with the same id one finds the other's row.
  select * into sent from public.messages m where m.id = send_message.id;
  if sent.id is not null then
    if sent.author_id = access.profile_id and sent.channel_id = channel and sent.kind = 'text' then
      return app.message_response(sent.id, access.profile_id) || jsonb_build_object('epoch', counters.epoch);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;

  -- Checked again under the lock, which removing a member takes as well: nothing is sent after the removal.
  access := app.require_participant(channel);
  if to_channel and access.posting = 'admins' and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  end if;
  if jsonb_array_length(files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  if send_message.thread_root is not null then
    if root.id is null or root.base_seq < access.history_from_seq then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif root.thread_root is not null or root.kind <> 'text' then
      raise exception using errcode = 'PT400', message = 'not_a_thread';
    elsif root.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  if requested is not null then checked := app.check_extras(requested, files); end if;
  if jsonb_array_length(files) > 0 then perform app.attach_files(send_message.id, channel, files); end if;

  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, base_seq, rev, author_id, body, extras,
    created_at)
  values (send_message.id, channel, case when to_channel then counters.last_seq end, send_message.thread_root,
    case when send_message.thread_root is not null then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, access.profile_id,
    send_message.body, checked, counters.last_at)
  -- A concurrent request with the same id in another channel takes another lock.
  on conflict (id) do nothing
  returning * into sent;
  if sent.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  insert into public.message_search (message_id, channel_id, base_seq, created_at, words)
  values (sent.id, channel, sent.base_seq, sent.created_at, array_to_tsvector(search_words));
  if strpos(sent.body, '<') > 0 then mentioned := app.record_mentions(sent); end if;

  if sent.thread_root is not null then
    update public.messages m
    set last_thread_seq = sent.thread_seq, reply_count = m.reply_count + 1, last_reply_at = sent.created_at,
      reply_people = (array[sent.author_id] || array_remove(m.reply_people, sent.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = sent.thread_root returning * into root;
    perform app.update_followers(sent, root, mentioned);
  end if;
  if access.kind in ('direct', 'group') then
    update public.channel_state s set hidden = false where s.channel_id = channel and s.hidden;
  end if;
  if cardinality(send_message.drafts) > 0 then
    perform app.clear_draft(access.profile_id, channel, sent.thread_root, sent.id, send_message.drafts[1:20]);
  end if;
  message_json := nullif(current_setting('app.new_message', true), '')::jsonb;
  if message_json ->> 'id' is distinct from sent.id::text then
    message_json := app.messages_as_json(array[sent.id], access.profile_id) -> 0;
  end if;
  return jsonb_build_object('message', message_json, 'epoch', counters.epoch);
end
$$;
comment on function public.send_message is
  'Sends a message. The client chooses the id: repeated calls send it once. `extras`: what it carries besides its text. '
  '`drafts`: the changes of the author''s draft that are sent with it, 20 at most; the draft is emptied with the message.';

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
  return app.member_as_json(workspace, person);
end
$$;

-- Differences ------------------------------------------------------------------------------------------

alter type app.differences add attribute own jsonb;
comment on type app.differences is
  'Rows that are not as a client has stored them, whole buckets and lists, and the digests of kinds that changed. `own`: '
  'rows that only their owner sees, by kind.';

create function app.own_differences(viewer uuid, workspace uuid, stored jsonb, changed app.differences)
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
  return changed;
end
$$;
comment on function app.own_differences is
  'Adds to the differences the rows that only their owner sees, by kind. Checks no rights: the caller has.';

create or replace function app.differences_of(viewer uuid, viewer_role text, workspace uuid, stored jsonb)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  changed app.differences;
  digest text := app.channel_digests(viewer, viewer_role, workspace);
  buckets integer[];
begin
  changed.digests := '{}';
  changed.channels := '[]';
  changed.threads := '[]';
  changed.sections := '[]';
  if digest is distinct from stored ->> 'channels' then
    buckets := app.changed_buckets(stored ->> 'channels', digest);
    changed.digests := changed.digests || jsonb_build_object('channels', digest);
    changed.channels := app.channel_entries_as_json(viewer, array(
      select m.channel_id
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer
      where m.profile_id = viewer and (m.expires_at is null or m.expires_at > now()) and s.hidden is not true
        and get_byte(uuid_send(m.channel_id), 15) >> 2 = any (buckets)));
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(r, 0)) from app.unread_thread_rows(viewer, workspace) r));
  if digest is distinct from stored ->> 'unread' then
    changed.digests := changed.digests || jsonb_build_object('unread', digest);
    changed.threads := app.unread_threads(viewer, workspace);
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(row(s.id, s.name, s.position, s.collapsed), 0))
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace));
  if digest is distinct from stored ->> 'sections' then
    changed.digests := changed.digests || jsonb_build_object('sections', digest);
    changed.sections := app.sections_as_json(viewer, workspace);
  end if;
  return app.own_differences(viewer, workspace, stored, changed);
end
$$;

create or replace function public.bootstrap(workspace uuid default null, stored jsonb default null) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
  changed app.differences;
  visible uuid[];
  people text;
  buckets integer[];
  members json := '[]';
  threads record;
begin
  if not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into me from public.profiles p where p.id = app.my_profile_id();
  select m.* into here from public.workspace_members m
  where m.profile_id = me.id and m.workspace_id = any (mine) and m.workspace_id = coalesce(workspace, m.workspace_id)
  order by m.created_at, m.workspace_id limit 1;
  if workspace is not null and here.workspace_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  changed := app.differences_of(me.id, here.role, here.workspace_id, stored);
  if here.role = 'guest' then visible := array(select app.my_visible_profile_ids()); end if;
  people := app.people_digests(here.workspace_id, visible);
  if people is distinct from stored ->> 'people' then
    changed.digests := changed.digests || jsonb_build_object('people', people);
    buckets := app.changed_buckets(stored ->> 'people', people);
    members := app.members_as_json(here.workspace_id, array(
      select m.profile_id from public.workspace_members m
      where m.workspace_id = here.workspace_id and (visible is null or m.profile_id = any (visible))
        and get_byte(uuid_send(m.profile_id), 15) >> 2 = any (buckets)));
  end if;
  select * into threads from app.thread_digests(me.id);
  if threads.digests is distinct from stored ->> 'threads' then
    changed.digests := changed.digests || jsonb_build_object('threads', threads.digests);
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'me', case when here.workspace_id is not null then jsonb_build_object(
      'profile', app.profile_as_json(me), 'role', here.role,
      'email', (select u.email from auth.users u where u.id = me.user_id)) end,
    'workspace', app.workspace_as_json(here.workspace_id),
    'workspaces', coalesce((
      select jsonb_agg(app.workspace_as_json(w.id) order by w.created_at, w.id)
      from public.workspaces w where w.id = any (mine)), '[]'),
    'members', members,
    'channels', changed.channels,
    'threads', changed.threads,
    'threads_since', threads.since,
    'sections', changed.sections,
    'own', changed.own,
    'people_counters', app.workspace_counters_as_json(here.workspace_id, here.role),
    'topics', (select s.value from public.settings s where s.key = 'topics'),
    'digests', changed.digests);
end
$$;

create or replace function public.heartbeat(workspace uuid, state text, stored jsonb default null) returns json
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  membership constant record := app.require_membership(workspace);
  changed app.differences;
  visible uuid[];
  previous text;
  presence text;
  buckets integer[];
  people json := '[]';
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  select h.state into previous from public.heartbeats h
  where h.profile_id = membership.profile_id and h.seen_at > now() - interval '150 seconds';
  insert into public.heartbeats (profile_id, state, seen_at)
  values (membership.profile_id, heartbeat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_expired_memberships();
  changed := app.differences_of(membership.profile_id, membership.role, workspace, stored);
  if membership.role = 'guest' then
    visible := array(select app.my_visible_profile_ids());
    presence := app.presence_digests(workspace, visible);
  else
    presence := app.shared_presence_digests(
      workspace, stored ->> 'presence', previous is distinct from heartbeat.state);
  end if;
  if presence is distinct from stored ->> 'presence' then
    changed.digests := changed.digests || jsonb_build_object('presence', presence);
    buckets := app.changed_buckets(stored ->> 'presence', presence);
    people := coalesce((
      select json_agg(json_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and (visible is null or h.profile_id = any (visible))
        and get_byte(uuid_send(h.profile_id), 15) >> 2 = any (buckets)), '[]');
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'people', people,
    'channels', changed.channels,
    'threads', changed.threads,
    'sections', changed.sections,
    'own', changed.own,
    'people_counters', app.workspace_counters_as_json(workspace, membership.role),
    'digests', changed.digests);
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
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread', '/rpc/save_draft') then 'own'
    else 'other'
  end);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.send_message, public.save_draft from public, anon, authenticated, service_role;
grant execute on function public.send_message, public.save_draft to authenticated;
