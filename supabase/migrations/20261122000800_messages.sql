-- Messages: their text, revisions and mentions, and the commands that send, edit and delete them.
--
-- The client chooses a message's id, the server its numbers. A command looks for the id before it takes a number, so
-- that a repeated request returns the existing message. Numbers are taken only under the lock of the channel's
-- counters, which is held until the transaction ends: sequences have no gaps, and broadcasts are sent in the order of
-- their numbers.

-- Tables -----------------------------------------------------------------------------------------------

create table public.messages (
  id uuid primary key,
  channel_id uuid not null references public.channels (id) on delete cascade,
  kind text not null default 'text' constraint messages_kind_known check (kind in ('text', 'system')),
  seq bigint,
  thread_root uuid,
  thread_seq bigint,
  last_thread_seq bigint not null default 0,
  reply_count integer not null default 0,
  reply_people uuid[] not null default '{}',
  last_reply_at timestamptz,
  base_seq bigint not null,
  rev bigint not null,
  author_id uuid not null references public.profiles (id),
  body text not null constraint messages_body_length check (char_length(body) <= 20000),
  system jsonb,
  created_at timestamptz not null,
  broadcast_at timestamptz default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  constraint messages_in_channel unique (channel_id, id),
  constraint messages_seq_once unique (channel_id, seq),
  constraint messages_thread_in_channel
    foreign key (channel_id, thread_root) references public.messages (channel_id, id),
  constraint messages_numbered check (
    (thread_root is null and seq is not null and thread_seq is null and base_seq = seq)
    or (thread_root is not null and thread_seq is not null)
  ),
  constraint messages_deleted_are_empty check (deleted_at is null or (body = '' and system is null)),
  constraint messages_system_content check ((kind = 'system') = (system is not null) or deleted_at is not null)
)
-- Leaves space beside each row for its next version, which otherwise needs new entries in every index.
with (fillfactor = 90);
create unique index messages_thread_seq_once on public.messages (channel_id, thread_root, thread_seq)
  where thread_root is not null;
-- Only what counts as unread, in order: counting up to 100 reads about as many entries.
create index messages_unread on public.messages (channel_id, seq) include (author_id)
  where seq is not null and deleted_at is null and kind = 'text';
-- The same for the replies of a thread.
create index messages_thread_unread on public.messages (channel_id, thread_root, thread_seq) include (author_id)
  where thread_root is not null and deleted_at is null;
create index messages_author on public.messages (author_id);
comment on table public.messages is
  'Messages. The client chooses the id, the server the numbers; messages never move, and deleted ones stay as empty '
  'rows.';
comment on column public.messages.base_seq is
  'The seq of the message or of its root: compared with the start of a reader''s history.';
comment on column public.messages.rev is 'The channel''s rev at the last change of this message.';
comment on column public.messages.broadcast_at is
  'Start of the transaction that broadcast the current text: inserted_at of the stored broadcast.';
alter table public.messages enable row level security;
create policy "readers see messages from their history start on" on public.messages
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_readable_channels() r where r.history_from_seq = 1)
    or exists (
      select from app.my_readable_channels() r
      where r.channel_id = messages.channel_id and r.history_from_seq > 1
        and messages.base_seq >= r.history_from_seq
    )
  );
comment on policy "readers see messages from their history start on" on public.messages is
  'Both sets are evaluated once per statement. A reply has the base_seq of its root, so a thread is visible as a whole '
  'or not at all.';
revoke all on public.messages from public, anon, authenticated, service_role;
grant select on public.messages to authenticated;
grant select, insert, update, delete on public.messages to service_role;

create table public.message_changes (
  message_id uuid primary key references public.messages (id) on delete cascade,
  channel_id uuid not null,
  rev bigint not null,
  base_seq bigint not null,
  constraint message_changes_rev_once unique (channel_id, rev)
) with (fillfactor = 80);
comment on table public.message_changes is
  'The rev of each message, in the order of changes. A narrow table of its own, so that a reaction, a pin or a reply '
  'rewrites no index of messages. No access for clients.';
comment on column public.message_changes.base_seq is
  'base_seq of the message, which never changes: compared with a history start.';
alter table public.message_changes enable row level security;
revoke all on public.message_changes from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_changes to service_role;

create table public.message_revisions (
  message_id uuid not null references public.messages (id) on delete cascade,
  rev bigint not null,
  body text not null,
  written_at timestamptz not null,
  primary key (message_id, rev)
);
comment on table public.message_revisions is 'Earlier texts of edited messages, removed when the message is deleted.';
alter table public.message_revisions enable row level security;
create policy "authors see their earlier versions" on public.message_revisions
  for select to authenticated using (
    message_id in (select m.id from public.messages m where m.author_id = (select app.my_profile_id()))
  );
comment on policy "authors see their earlier versions" on public.message_revisions is
  'Earlier texts are for their author only; the policy of messages applies to the subquery.';
revoke all on public.message_revisions from public, anon, authenticated, service_role;
grant select on public.message_revisions to authenticated;
grant select, insert, update, delete on public.message_revisions to service_role;

create table public.message_edits (
  message_id uuid not null references public.messages (id) on delete cascade,
  edit uuid not null,
  primary key (message_id, edit)
);
comment on table public.message_edits is
  'Ids of the edits that were applied to a message: a repeated edit, even after a later one, changes nothing. No '
  'access for clients.';
alter table public.message_edits enable row level security;
revoke all on public.message_edits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_edits to service_role;

create table public.mentions (
  id bigint primary key generated always as identity,
  message_id uuid not null references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  kind text not null constraint mentions_kind_known check (kind in ('person', 'channel', 'here')),
  profile_id uuid references public.profiles (id) on delete cascade,
  author_id uuid not null references public.profiles (id) on delete cascade,
  seq bigint,
  thread_root uuid,
  thread_seq bigint,
  constraint mentions_once unique nulls not distinct (message_id, kind, profile_id),
  constraint mentions_person_named check ((kind = 'person') = (profile_id is not null)),
  constraint mentions_thread_numbered check ((thread_root is null) = (thread_seq is null))
);
create index mentions_person on public.mentions (profile_id, channel_id, seq) where profile_id is not null;
create index mentions_everyone on public.mentions (channel_id, seq) where profile_id is null;
create index mentions_thread on public.mentions (thread_root, profile_id, thread_seq) where thread_root is not null;
create index mentions_author on public.mentions (author_id);
comment on table public.mentions is
  'Mentions in messages. @channel is one row, not a thousand; people who cannot read the message are not mentioned.';
comment on column public.mentions.thread_root is
  'The thread of a reply, so that an index counts the mentions within a thread.';
alter table public.mentions enable row level security;
create policy "readers of a message see its mentions" on public.mentions
  for select to authenticated using (exists (select from public.messages m where m.id = mentions.message_id));
comment on policy "readers of a message see its mentions" on public.mentions is
  'The policy of messages applies to the subquery: a mention grants no access.';
revoke all on public.mentions from public, anon, authenticated, service_role;
revoke all on sequence public.mentions_id_seq from public, anon, authenticated, service_role;
grant select on public.mentions to authenticated;
grant select, insert, update, delete on public.mentions to service_role;

-- Reading ----------------------------------------------------------------------------------------------

create function app.reactions_as_json(message uuid, viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object('emoji', e.emoji, 'count', e.count, 'people', to_jsonb(e.people))
        || case when viewer is null then '{}' else jsonb_build_object('mine', e.mine) end
      order by e.first)
    from (
      select r.emoji, count(*) as count, min(r.position) as first, bool_or(r.profile_id = viewer) as mine,
        (array_agg(r.profile_id order by r.position))[1:20] as people
      from public.reactions r where r.message_id = message group by r.emoji
    ) e
  ), '[]');
end
$$;
comment on function app.reactions_as_json is
  'The reactions of a message by emoji, in the order of the first one. `mine` only with a viewer, since broadcasts '
  'have none.';

create function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object(
        'id', m.id, 'channel_id', m.channel_id, 'kind', m.kind, 'seq', m.seq, 'thread_root', m.thread_root,
        'thread_seq', m.thread_seq, 'last_thread_seq', m.last_thread_seq, 'reply_count', m.reply_count,
        'reply_people', to_jsonb(m.reply_people), 'last_reply_at', m.last_reply_at, 'base_seq', m.base_seq,
        'rev', m.rev, 'author_id', m.author_id, 'body', m.body, 'system', m.system, 'created_at', m.created_at,
        'edited_at', m.edited_at, 'deleted_at', m.deleted_at, 'pinned_at', p.pinned_at,
        'attachments', coalesce(a.attachments, '[]'), 'reactions', coalesce(r.reactions, '[]'))
      order by requested.ordinal)
    from unnest(ids) with ordinality requested (id, ordinal)
    join public.messages m on m.id = requested.id
    left join public.pins p on p.message_id = m.id
    left join (
      select f.message_id, jsonb_agg(app.attachment_as_json(f) order by f.position) as attachments
      from public.attachments f where f.message_id = any (ids) group by f.message_id
    ) a on a.message_id = m.id
    left join (
      select q.message_id, app.reactions_as_json(q.message_id, viewer) as reactions
      from public.reactions q where q.message_id = any (ids) group by q.message_id
    ) r on r.message_id = m.id
  ), '[]');
end
$$;
comment on function app.messages_as_json is
  'These messages, complete, in the given order. Checks no rights: the caller has. Attachments and reactions are '
  'gathered once for all messages, so that a plain one costs no query of its own.';

create function app.message_response(id uuid, viewer uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('message', app.messages_as_json(array[message_response.id], viewer) -> 0) $$;
comment on function app.message_response is 'The response of commands that change one message.';

-- Locks and checks -------------------------------------------------------------------------------------

create function app.lock_message(message uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked public.messages;
begin
  -- Together with its root, ordered by id: otherwise a reply and a deletion in the same thread can deadlock.
  perform from public.messages m
  where m.id = message or m.id = (select r.thread_root from public.messages r where r.id = message)
  order by m.id for no key update;
  select * into locked from public.messages m where m.id = message;
  return locked;
end
$$;
comment on function app.lock_message is 'A message, locked together with its root, before any counter.';

create function app.lock_live_message(message uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked constant public.messages := app.lock_message(message);
begin
  perform app.lock_channels(array[locked.channel_id]);
  perform app.require_live_message(message);
  return locked;
end
$$;
comment on function app.lock_live_message is
  'A message, locked with its root and its channel, and the caller''s right to change it checked again under these '
  'locks. Archiving a channel and removing a member lock the channel too, so that nothing changes after them.';

create function app.require_message_body(body text, may_be_empty boolean) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if body is null or (btrim(body, E' \t\r\n') = '' and not may_be_empty) then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  elsif char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  end if;
  return body;
end
$$;
comment on function app.require_message_body is
  'The text of a message; fails with messages_not_empty or messages_body_length.';

create function app.record_message_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.message_changes (message_id, channel_id, rev, base_seq)
  values (new.id, new.channel_id, new.rev, new.base_seq)
  on conflict (message_id) do update set rev = excluded.rev where message_changes.message_id = excluded.message_id;
  return null;
end
$$;
comment on function app.record_message_change is 'Updates message_changes when the rev of a message changes.';
create trigger message_changes_are_recorded after insert or update of rev on public.messages
  for each row execute function app.record_message_change();
comment on trigger message_changes_are_recorded on public.messages is
  'Runs under the lock of the channel''s counters, like the change of the rev itself.';

-- Mentions ---------------------------------------------------------------------------------------------

create function app.mentioned_profile_ids(body text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct m[1]::uuid
    from regexp_matches(body, '<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>', 'g') m
    limit 100)
$$;
comment on function app.mentioned_profile_ids is 'Profile ids in `<@…>` marks, 100 at most.';

create function app.record_mentions(message public.messages) returns uuid[]
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids constant uuid[] := app.mentioned_profile_ids(message.body);
  mentioned uuid[] := '{}';
begin
  if cardinality(ids) > 0 then
    with inserted as (
      insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq, thread_root, thread_seq)
      select message.id, message.channel_id, 'person', p.id, message.author_id, message.seq,
        message.thread_root, message.thread_seq
      from unnest(ids) p (id) cross join lateral app.channel_access_of_person(p.id, message.channel_id) r
      where p.id <> message.author_id and r.history_from_seq <= message.base_seq
      on conflict do nothing returning profile_id
    )
    select coalesce(array_agg(m.profile_id), '{}') into mentioned from inserted m;
  end if;
  if strpos(message.body, '<!') > 0 then
    insert into public.mentions (message_id, channel_id, kind, author_id, seq, thread_root, thread_seq)
    select message.id, message.channel_id, k.kind, message.author_id, message.seq,
      message.thread_root, message.thread_seq
    from (values ('channel'), ('here')) k (kind)
    where strpos(message.body, '<!' || k.kind || '>') > 0
    on conflict do nothing;
  end if;
  return mentioned;
end
$$;
comment on function app.record_mentions is
  'Stores the mentions of a message, of people who can read it, and returns who was newly mentioned by name.';

-- Commands ---------------------------------------------------------------------------------------------

create function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_reader(channel);
  files constant jsonb := coalesce(send_message.attachments, '[]');
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
  perform app.require_message_body(send_message.body, jsonb_array_length(files) > 0);
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.split_words(coalesce(send_message.body, ''));

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
  if jsonb_array_length(files) > 0 then perform app.attach_files(send_message.id, channel, files); end if;

  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, base_seq, rev, author_id, body, created_at)
  values (send_message.id, channel, case when to_channel then counters.last_seq end, send_message.thread_root,
    case when send_message.thread_root is not null then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, access.profile_id,
    send_message.body, counters.last_at)
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
  message_json := nullif(current_setting('app.new_message', true), '')::jsonb;
  if message_json ->> 'id' is distinct from sent.id::text then
    message_json := app.messages_as_json(array[sent.id], access.profile_id) -> 0;
  end if;
  return jsonb_build_object('message', message_json, 'epoch', counters.epoch);
end
$$;
comment on function public.send_message is 'Sends a message. The client chooses the id: repeated calls send it once.';

create function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(edit_message.id);
  -- Before any lock. The length is checked before the text is split, which takes time in proportion to it.
  search_words constant text[] := app.split_words(app.require_message_body(edit_message.body,
    exists (select from public.attachments a where a.message_id = edit_message.id)));
  before constant public.messages := app.lock_message(edit_message.id);
  after public.messages;
  mentioned uuid[];
begin
  if before.author_id <> access.profile_id or before.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif before.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if edit_message.edit is not null then
    insert into public.message_edits (message_id, edit) values (before.id, edit_message.edit) on conflict do nothing;
    if not found then return app.message_response(before.id, access.profile_id); end if;
  end if;
  if edit_message.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = array_to_tsvector(search_words) where s.message_id = before.id;
    perform app.redact_broadcasts(before);
    -- Checked again under the lock, as in lock_live_message.
    perform app.lock_channels(array[before.channel_id]);
    perform app.require_live_message(before.id);
    update public.messages m
    set body = edit_message.body, edited_at = clock_timestamp(), broadcast_at = now(),
      rev = app.next_rev(before.channel_id)
    where m.id = before.id returning * into after;
    delete from public.mentions n
    where n.message_id = before.id and n.kind = 'person'
      and n.profile_id <> all (app.mentioned_profile_ids(after.body));
    delete from public.mentions n
    where n.message_id = before.id and n.kind <> 'person' and strpos(after.body, '<!' || n.kind || '>') = 0;
    mentioned := app.record_mentions(after);
    if after.thread_root is not null and cardinality(mentioned) > 0 then
      perform app.follow_mentioned(after, h, mentioned) from public.messages h where h.id = after.thread_root;
    end if;
  end if;
  return app.message_response(before.id, access.profile_id);
end
$$;
comment on function public.edit_message is
  'Changes the text of the caller''s message; earlier texts are stored until it is deleted. An edit with an id is '
  'applied once, however often and late it is repeated.';

create function public.delete_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_message(delete_message.id);
  before constant public.messages := app.lock_message(delete_message.id);
begin
  -- System messages contain names and topics; those who manage the channel may delete them.
  if (before.kind <> 'text' or before.author_id <> access.profile_id) and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if before.deleted_at is null then
    -- The objects are deleted once no other message carries them.
    insert into public.file_deletion_queue (bucket_id, name)
    select 'files', a.upload_channel_id || '/' || a.upload_id || '/' || part
    from public.attachments a, unnest(array['file', 'thumb']) part
    where a.message_id = before.id and not exists (
      select from public.attachments other
      where other.upload_id = a.upload_id and other.upload_channel_id = a.upload_channel_id
        and other.message_id <> before.id)
    on conflict do nothing;
    delete from public.attachments a where a.message_id = before.id;
    delete from public.message_revisions r where r.message_id = before.id;
    delete from public.message_edits e where e.message_id = before.id;
    delete from public.message_search s where s.message_id = before.id;
    delete from public.mentions n where n.message_id = before.id;
    delete from public.reactions r where r.message_id = before.id;
    delete from public.pins p where p.message_id = before.id;
    perform app.redact_broadcasts(before);
    update public.messages m
    set body = '', system = null, deleted_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
    where m.id = before.id;
    if before.thread_root is not null then
      perform app.uncount_reply(before.thread_root, app.next_rev(before.channel_id));
      perform app.notify_reply_deleted(before);
    end if;
  end if;
  return app.message_response(before.id, access.profile_id);
end
$$;
comment on function public.delete_message is
  'Empties a message: its text, earlier texts, files, reactions and stored broadcasts are removed, its numbers stay. '
  'For its author; for those who manage the channel any message, system messages included.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.send_message, public.edit_message, public.delete_message
  from public, anon, authenticated, service_role;
grant execute on function public.send_message, public.edit_message, public.delete_message to authenticated;
