-- Messages: their text, revisions and mentions, and the commands that send, edit and delete them.
--
-- The client chooses the id of a message that it sends. The database chooses all other ids, such as those of system messages, and
-- all numbers. A command looks for the id before it takes a number, so that a repeated request returns the existing message. It takes
-- numbers only under the lock of the channel's counters, which it holds until the transaction ends. So sequences have no gaps, and
-- broadcasts are sent in the order of their numbers. supabase/README.md lists the functions of a new message in their order.

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
  history_seq bigint not null,
  rev bigint not null,
  author_id uuid not null references public.profiles (id),
  body text not null constraint messages_body_length check (char_length(body) <= 20000),
  system jsonb,
  created_at timestamptz not null,
  broadcast_at timestamptz default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  extras jsonb,
  constraint messages_in_channel unique (channel_id, id),
  constraint messages_seq_once unique (channel_id, seq),
  constraint messages_thread_in_channel
    foreign key (channel_id, thread_root) references public.messages (channel_id, id),
  constraint messages_numbered check (
    (thread_root is null and seq is not null and thread_seq is null and history_seq = seq)
    or (thread_root is not null and thread_seq is not null)
  ),
  constraint messages_deleted_are_empty check (
    deleted_at is null
    or (body = '' and system is null and (extras is null or extras - '{moved_to,removed}'::text[] = '{}'))),
  constraint messages_system_content check ((kind = 'system') = (system is not null) or deleted_at is not null),
  constraint messages_extras_object check (jsonb_typeof(extras) = 'object')
)
-- Leaves space beside each row for its next version, which otherwise needs new entries in every index.
with (fillfactor = 90);
create unique index messages_thread_seq_once on public.messages (channel_id, thread_root, thread_seq)
  where thread_root is not null;
-- Only messages that count as unread, in order: a count of up to 100 reads about as many entries.
create index messages_unread on public.messages (channel_id, seq) include (author_id)
  where seq is not null and deleted_at is null and kind = 'text';
-- The same for the replies of a thread.
create index messages_thread_unread on public.messages (channel_id, thread_root, thread_seq) include (author_id)
  where thread_root is not null and deleted_at is null;
create index messages_author on public.messages (author_id);
-- The oldest message that is not deleted, also of threads and of system messages.
create index messages_oldest on public.messages (channel_id, created_at) where deleted_at is null;
comment on table public.messages is
  'Messages. The client chooses the id, the server the numbers; a message never changes its channel: moving it makes a '
  'copy. Deleted and moved ones stay as empty rows.';
comment on column public.messages.history_seq is
  'What is compared with the start of a reader''s history: the seq of the message, or of the root of a reply that is in its '
  'thread alone.';
comment on column public.messages.rev is 'The channel''s rev at the last change of this message.';
comment on column public.messages.broadcast_at is
  'Start of the transaction that broadcast the current text: inserted_at of the stored broadcast.';
comment on column public.messages.extras is
  'What the message carries besides its text, one property for each kind; null for most.';
alter table public.messages enable row level security;
create policy "readers see messages from their history start on" on public.messages
  for select to authenticated using (
    channel_id in (select app.my_fully_readable_channel_ids())
    or history_seq >= ((select app.my_history_starts()) ->> channel_id::text)::bigint
  );
comment on policy "readers see messages from their history start on" on public.messages is
  'Both sets are evaluated once per statement, the second one only for channels that are not in the first. A reply '
  'has the history_seq of its root unless it was also sent to the channel.';
revoke all on public.messages from public, anon, authenticated, service_role;
grant select on public.messages to authenticated;
grant select, insert, update, delete on public.messages to service_role;

create table public.message_changes (
  message_id uuid primary key references public.messages (id) on delete cascade,
  channel_id uuid not null,
  rev bigint not null,
  change_id bigint not null default 0,
  history_seq bigint not null,
  constraint message_changes_rev_once unique (channel_id, rev)
) with (fillfactor = 80);
comment on table public.message_changes is
  'The rev of each message, in the order of changes. A narrow table of its own, so that a reaction, a pin or a reply '
  'rewrites no index of messages. No access for clients.';
comment on column public.message_changes.change_id is 'channel_counters.change_id at this change.';
comment on column public.message_changes.history_seq is
  'history_seq of the message, which never changes: compared with a history start.';
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
create policy "authors and people allowed by the workspace see earlier versions" on public.message_revisions
  for select to authenticated using (
    exists (
      select from public.messages m
      where m.id = message_revisions.message_id
        and (m.author_id = (select app.my_profile_id()) or exists (
          select from public.channels c
          where c.id = m.channel_id and c.workspace_id = any (array(select app.my_edit_history_workspace_ids())))))
  );
comment on policy "authors and people allowed by the workspace see earlier versions" on public.message_revisions is
  'Only of messages that they can read: the policies of messages and channels apply to the subqueries.';
revoke all on public.message_revisions from public, anon, authenticated, service_role;
grant select on public.message_revisions to authenticated;
grant select, insert, update, delete on public.message_revisions to service_role;

create table public.message_edits (
  message_id uuid not null references public.messages (id) on delete cascade,
  edit uuid not null,
  position bigint generated always as identity,
  primary key (message_id, edit)
);
comment on table public.message_edits is
  'Ids of the last 100 edits of a message: a repeated edit, even after a later one, changes nothing. No access for '
  'clients.';
comment on column public.message_edits.position is 'Orders the edits of a message.';
revoke all on sequence public.message_edits_position_seq from public, anon, authenticated, service_role;
alter table public.message_edits enable row level security;
revoke all on public.message_edits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_edits to service_role;

create table public.mentions (
  id bigint primary key generated always as identity,
  message_id uuid not null references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  kind text not null
    constraint mentions_kind_known check (kind in ('person', 'channel', 'here', 'group')),
  profile_id uuid references public.profiles (id) on delete cascade,
  group_id uuid references public.user_groups (id) on delete cascade,
  author_id uuid not null references public.profiles (id) on delete cascade,
  seq bigint,
  thread_root uuid,
  thread_seq bigint,
  created_at timestamptz not null,
  constraint mentions_once unique nulls not distinct (message_id, kind, profile_id, group_id),
  constraint mentions_person_named check ((kind = 'person') = (profile_id is not null)),
  constraint mentions_thread_numbered check ((thread_root is null) = (thread_seq is null)),
  constraint mentions_group_named check ((kind = 'group') = (group_id is not null))
);
create index mentions_person on public.mentions (profile_id, channel_id, seq) where profile_id is not null;
create index mentions_everyone on public.mentions (channel_id, seq) where profile_id is null and group_id is null;
create index mentions_thread on public.mentions (thread_root, profile_id, thread_seq) where thread_root is not null;
create index mentions_author on public.mentions (author_id);
create index mentions_of_person on public.mentions (profile_id, created_at desc, message_id desc)
  where profile_id is not null;
create index mentions_of_everyone on public.mentions (channel_id, created_at desc, message_id desc)
  where profile_id is null and group_id is null;
create index mentions_group on public.mentions (group_id, channel_id, seq) where group_id is not null;
create index mentions_of_group on public.mentions (group_id, created_at desc, message_id desc) where group_id is not null;
comment on table public.mentions is
  'Mentions in messages. @channel is one row, not a thousand; people who cannot read the message are not mentioned.';
comment on column public.mentions.group_id is
  'The group that is mentioned. Who is in it is looked up when the mention is read.';
comment on column public.mentions.thread_root is
  'The thread of a reply, so that an index counts the mentions within a thread.';
comment on column public.mentions.created_at is
  'When the text that mentions was written: copied from the message by a trigger, so that an index has the order of time.';
alter table public.mentions enable row level security;
create policy "readers of a message see its mentions" on public.mentions
  for select to authenticated using (exists (select from public.messages m where m.id = mentions.message_id));
comment on policy "readers of a message see its mentions" on public.mentions is
  'The policy of messages applies to the subquery: a mention grants no access.';
revoke all on public.mentions from public, anon, authenticated, service_role;
grant select on public.mentions to authenticated;
grant select, insert, update, delete on public.mentions to service_role;
revoke all on sequence public.mentions_id_seq from public, anon, authenticated, service_role;

-- Reading ----------------------------------------------------------------------------------------------

create function app.written_at(message public.messages) returns timestamptz
language sql stable set search_path = ''
as $$ select coalesce((message.extras #>> '{moved,written_at}')::timestamptz, message.created_at) $$;
comment on function app.written_at is 'When a message was written: before created_at if it was moved.';

create function app.without_voters(reactions jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    case when r.value ->> 'emoji' like 'poll:%' then r.value || '{"people": []}' else r.value end
    order by r.ordinal), '[]')
  from jsonb_array_elements(reactions) with ordinality r (value, ordinal)
$$;
comment on function app.without_voters is 'The reactions of a message with an anonymous poll, without who voted.';

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

-- Without a search path, so that it is a part of the expressions and queries that call it.
create function app.message_as_json(message public.messages, pinned_at timestamptz, attachments jsonb, reactions jsonb)
returns jsonb
language sql stable
as $$
  select pg_catalog.jsonb_build_object(
    'id', message.id, 'channel_id', message.channel_id, 'kind', message.kind, 'seq', message.seq,
    'thread_root', message.thread_root, 'thread_seq', message.thread_seq, 'last_thread_seq', message.last_thread_seq,
    'reply_count', message.reply_count, 'reply_people', pg_catalog.to_jsonb(message.reply_people),
    'last_reply_at', message.last_reply_at, 'history_seq', message.history_seq, 'rev', message.rev,
    'author_id', message.author_id, 'body', message.body, 'system', message.system, 'created_at', message.created_at,
    'edited_at', message.edited_at, 'deleted_at', message.deleted_at, 'pinned_at', pinned_at,
    'attachments', attachments, 'extras', message.extras, 'reactions', reactions)
$$;
comment on function app.message_as_json is
  'A message with its pin, its attachments and its reactions, which the caller has read.';

-- The plan is generic. PostgreSQL 15 estimates that an array has ten ids with as many reactions as other messages have: if
-- these are many, it reads all reactions of the server, also for one message. Each table has an index by message.
create function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  return coalesce((
    select jsonb_agg(
      app.message_as_json(m, p.pinned_at, coalesce(a.attachments, '[]'),
        case when m.extras #>> '{poll,anonymous}' = 'true' then app.without_voters(r.reactions)
          else coalesce(r.reactions, '[]') end)
      order by requested.ordinal)
    from unnest(ids) with ordinality requested (id, ordinal)
    join public.messages m on m.id = requested.id
    left join public.pins p on p.message_id = m.id
    left join (
      select f.message_id, jsonb_agg(app.attachment_as_json(f) order by f.position) as attachments
      from public.attachments f where f.message_id = any (ids) group by f.message_id
    ) a on a.message_id = m.id
    left join (
      -- As reactions_as_json, of all messages at once.
      select e.message_id, jsonb_agg(
        jsonb_build_object('emoji', e.emoji, 'count', e.count, 'people', to_jsonb(e.people))
          || case when viewer is null then '{}' else jsonb_build_object('mine', e.mine) end
        order by e.first) as reactions
      from (
        select q.message_id, q.emoji, count(*) as count, min(q.position) as first,
          bool_or(q.profile_id = viewer) as mine, (array_agg(q.profile_id order by q.position))[1:20] as people
        from public.reactions q where q.message_id = any (ids) group by q.message_id, q.emoji
      ) e group by e.message_id
    ) r on r.message_id = m.id
  ), '[]');
end
$$;
comment on function app.messages_as_json is
  'These messages, complete, in the given order. Checks no rights: the caller has. Attachments and reactions are '
  'gathered once for all messages, so that a plain one costs no query of its own.';

create function app.message_response(id uuid, viewer uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('message', case
    when exists (select from public.messages m where m.id = message_response.id and m.author_id = viewer)
      or app.has_scope('messages:read')
    then app.messages_as_json(array[message_response.id], viewer) -> 0 end)
$$;
comment on function app.message_response is
  'The response of commands that change one message. Applications that may only write get null for those of others.';

create function public.messages_by_ids(ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
begin
  if ids is null or cardinality(ids) > 50 then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  return jsonb_build_object('messages', app.messages_as_json(array(
    select m.id from public.messages m
    join app.my_readable_channels() r on r.channel_id = m.channel_id and r.history_from_seq <= m.history_seq
    where m.id = any (ids)), me));
end
$$;
comment on function public.messages_by_ids is
  'At most 50 messages by their ids, for quotes, forwards and pins. Those that the caller may not read are '
  'left out, as if they did not exist.';

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

create function app.accept_message_body(body text, may_be_empty boolean) returns text
language plpgsql volatile set search_path = ''
as $$
begin
  -- The length first: nothing examines a longer text.
  if char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  elsif body is null or not app.is_visible(body) and not may_be_empty then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  end if;
  -- Shorter texts do not count: see consume_characters_of.
  if octet_length(body) > 100 and auth.uid() is not null then
    perform app.consume_characters_of(auth.uid(), 'characters', body);
  end if;
  return body;
end
$$;
comment on function app.accept_message_body is
  'The text of a message; fails with messages_not_empty or messages_body_length, or with rate_limited if the caller has '
  'written too much. Commands call it before they lock anything.';

create function app.record_message_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.message_changes (message_id, channel_id, rev, history_seq, change_id)
  values (new.id, new.channel_id, new.rev, new.history_seq,
    coalesce((select k.change_id from public.channel_counters k where k.channel_id = new.channel_id), 0))
  on conflict (message_id) do update set rev = excluded.rev, change_id = excluded.change_id
  where message_changes.message_id = excluded.message_id;
  return null;
end
$$;
comment on function app.record_message_change is 'Updates message_changes when the rev of a message changes.';
create trigger message_changes_are_recorded after update of rev on public.messages
  for each row execute function app.record_message_change();
comment on trigger message_changes_are_recorded on public.messages is
  'Runs under the lock of the channel''s counters, like the change of the rev itself.';

-- Mentions ---------------------------------------------------------------------------------------------

create function app.mentioned_profile_ids(body text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select case when strpos(body, '<@') = 0 then '{}'::uuid[] else array(
    select substr(mark, 3, 36)::uuid from unnest(app.mention_marks(body)) mark where mark ~ '^<@[0-9a-f]' limit 100) end
$$;
comment on function app.mentioned_profile_ids is 'The profiles that a text mentions, 100 at most.';

create function app.concerns_person(mention public.mentions, person uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when mention.group_id is not null then exists (
      select from public.user_group_members g where g.profile_id = person and g.group_id = mention.group_id)
    else mention.profile_id is null or mention.profile_id = person end;
end
$$;
comment on function app.concerns_person is
  'Whether a mention is of this person, of a group that they are in, or of everyone. For few rows: counts use the indexes.';

create function app.date_mention() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.created_at := (select coalesce(m.edited_at, app.written_at(m)) from public.messages m where m.id = new.message_id);
  return new;
end
$$;
comment on function app.date_mention is 'Sets mentions.created_at, whatever the statement gives.';
create trigger mentions_are_dated before insert on public.mentions
  for each row execute function app.date_mention();

create function app.record_mentions(message public.messages) returns uuid[]
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids constant uuid[] := app.mentioned_profile_ids(message.body);
  mentioned uuid[] := '{}';
  is_moved constant boolean := coalesce(message.extras ? 'moved', false);
  numbered public.messages := message;
begin
  -- Without a number a mention is neither counted nor broadcast: people were notified before the message was moved.
  if is_moved then
    numbered.seq := null;
    numbered.thread_root := null;
    numbered.thread_seq := null;
  end if;
  if cardinality(ids) > 0 then
    with inserted as (
      insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq, thread_root, thread_seq)
      select message.id, message.channel_id, 'person', p.id, message.author_id, numbered.seq,
        numbered.thread_root, numbered.thread_seq
      from unnest(ids) p (id) cross join lateral app.channel_access_of_person(p.id, message.channel_id) r
      where p.id <> message.author_id and r.history_from_seq <= message.history_seq
      on conflict do nothing returning profile_id
    )
    select coalesce(array_agg(m.profile_id), '{}') into mentioned from inserted m;
  end if;
  if strpos(message.body, '<!') > 0 then
    insert into public.mentions (message_id, channel_id, kind, author_id, seq, thread_root, thread_seq)
    select message.id, message.channel_id, k.kind, message.author_id, numbered.seq,
      numbered.thread_root, numbered.thread_seq
    from (values ('channel'), ('here')) k (kind)
    where '<!' || k.kind || '>' = any (app.mention_marks(message.body))
    on conflict do nothing;
  end if;
  if strpos(message.body, '<@&') > 0 then
    insert into public.mentions (message_id, channel_id, kind, group_id, author_id, seq, thread_root, thread_seq)
    select message.id, message.channel_id, 'group', g.id, message.author_id, numbered.seq,
      numbered.thread_root, numbered.thread_seq
    from public.user_groups g
    join public.channels c on c.id = message.channel_id and c.workspace_id = g.workspace_id
    join public.workspace_members w on w.workspace_id = g.workspace_id and w.profile_id = message.author_id
    where g.id = any (app.mentioned_group_ids(message.body)) and g.archived_at is null
      -- Guests and bots mention groups that have a member in the channel: they see no others.
      and (w.role <> 'guest' or exists (
        select from public.channel_members r
        join public.user_group_members m on m.group_id = g.id and m.profile_id = r.profile_id
        where r.channel_id = c.id))
    on conflict do nothing;
  end if;
  return mentioned;
end
$$;
comment on function app.record_mentions is
  'Stores the mentions of a message, of people who can read it and of groups of its workspace, and returns who was newly '
  'mentioned by name.';

create function app.limit_message_edits() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.message_edits e
  where e.message_id = new.message_id and e.position <= (
    select o.position from public.message_edits o where o.message_id = new.message_id
    order by o.position desc offset 100 limit 1);
  return null;
end
$$;
comment on function app.limit_message_edits is
  'Keeps the ids of the last 100 edits of a message: a device repeats only the edits that it has not seen confirmed.';
create trigger message_edits_at_most_hundred after insert on public.message_edits
  for each row execute function app.limit_message_edits();

create function app.limit_message_revisions() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Deletes all texts beyond the bound: a message of an earlier version of the schema can have many.
  delete from public.message_revisions r
  where r.message_id = new.message_id and r.rev in (
      select o.rev from public.message_revisions o where o.message_id = new.message_id order by o.rev desc offset 49)
    and r.rev <> (select min(o.rev) from public.message_revisions o where o.message_id = new.message_id);
  return null;
end
$$;
comment on function app.limit_message_revisions is
  'Stores 50 earlier texts of a message: the first one and the last 49.';
create trigger message_revisions_are_limited after insert on public.message_revisions
  for each row execute function app.limit_message_revisions();

-- Inserting a message ----------------------------------------------------------------------------------

create function app.create_message_id() returns uuid
language sql volatile set search_path = ''
as $$
  -- 48 bits of milliseconds, the version, the microseconds as 12 bits, then 64 bits of a UUID of version 4 with its variant.
  select encode(
    int8send((now.us / 1000 << 16) | (7 << 12) | now.us % 1000 * 4096 / 1000)
    || substring(uuid_send(gen_random_uuid()) from 9), 'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint) now (us)
$$;
comment on function app.create_message_id is
  'A UUID of version 7 (RFC 9562, section 6.2, method 3), as uuidv7() of PostgreSQL 18. The database creates the ids of system '
  'messages, of messages of webhooks and bots, and of copies of moved messages. Clients choose all other ids.';

-- In UTC, as app.notify_channel.
create function app.publish_new_message(
  message public.messages, message_json jsonb, counters public.channel_counters, sender app.sender
) returns void
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  is_direct constant boolean := (sender.access).kind in ('direct', 'group');
  announcement jsonb := jsonb_build_object('channel_id', message.channel_id, 'rev', message.rev,
    'change_id', counters.change_id, 'previous_change_id', counters.previous_change_id);
  -- A history start is at most the next seq of the channel, so that it can be after the root of a reply only.
  is_hidden constant boolean := message.seq is null and app.is_hidden_from_some_reader(message);
begin
  insert into public.message_changes (message_id, channel_id, rev, history_seq, change_id)
  values (message.id, message.channel_id, message.rev, message.history_seq, counters.change_id);
  if sender.needs_unread_hint and message.kind = 'text' and message.seq is not null then
    perform app.notify_first_unread(message);
  end if;
  if not is_hidden then announcement := announcement || jsonb_build_object('message', message_json); end if;
  perform realtime.send(announcement, case when is_hidden then 'rev' else 'message' end,
    'channel:' || message.channel_id || ':' || counters.epoch, true);
  if is_direct then
    perform app.notify_user(r.profile_id, 'activity', jsonb_build_object(
      'channel_id', message.channel_id, 'seq', message.seq, 'rev', message.rev, 'mention', false))
    from app.channel_readers(message.channel_id) r
    where r.profile_id <> message.author_id and app.can_open_workspace(r.profile_id, (sender.access).workspace_id);
  end if;
  if message.kind <> 'text' or message.extras -> 'moved' is not null then return; end if;
  if message.body ~ '://|www\.' and app.fetches_link_previews(message.channel_id) then
    perform app.queue_link_previews(message);
  end if;
  if sender.has_webhooks and not sender.is_bot then perform app.queue_webhook_deliveries(message); end if;
  if sender.has_devices then perform app.queue_push(message); end if;
  if is_direct or strpos(message.body, '<') > 0 then perform app.queue_mail(message, is_direct); end if;
end
$$;
comment on function app.publish_new_message is
  'What a new row of messages causes, in this order. Mentions and files have rows and triggers of their own. The change '
  'record comes first, because every event leads clients to fetch changes. Events follow: the unread hint for people who look '
  'at another workspace, the message for the readers of the channel (only its rev if some of them may not read it), and in '
  'direct conversations an event for each reader. Jobs come last, because they run after the commit and only need the id: '
  'link previews, webhooks, push, mail. System messages and copies of moved messages cause no jobs, since nobody has written '
  'anything new. Each function that inserts a message calls it next, under the lock of the channel. `counters`: of the '
  'channel, as of the message. `sender`: of its author.';

create function app.post_system_message(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sender constant app.sender := app.sender_of(author, channel);
  counters public.channel_counters;
  posted public.messages;
begin
  if sender.is_silenced then
    -- When a silenced person joins or leaves, others see it only in the list of members.
    if note ->> 'event' in ('joined', 'left') then
      return (select k.last_seq from public.channel_counters k where k.channel_id = post_system_message.channel);
    end if;
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, kind, seq, history_seq, rev, author_id, body, system, created_at)
  values (app.create_message_id(), channel, 'system', counters.last_seq, counters.last_seq, counters.rev, author, '', note,
    counters.last_at)
  returning * into posted;
  perform app.publish_new_message(posted, app.message_as_json(posted, null, '[]', '[]'), counters, sender);
  return counters.last_seq;
end
$$;
comment on function app.post_system_message is
  'Inserts a system message (someone joined, left or changed the channel) and returns its seq. A silenced person joins and '
  'leaves without a message, and the function returns the last seq of the channel. Fails with silenced if a silenced person '
  'causes another event.';

create type app.new_message_lock as (epoch bigint, is_sent boolean, is_same boolean);
comment on type app.new_message_lock is
  'What app.lock_new_message has found. `is_sent`: the author has sent the message with this id already. `is_same`: what the '
  'author may do has not changed since it was read, because the lock was free, and the channel and its members have not changed.';

create function app.lock_new_message(id uuid, channel uuid, author uuid, meta_rev bigint) returns app.new_message_lock
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  locked app.new_message_lock;
  sent record;
begin
  select k.epoch, false, k.meta_rev = lock_new_message.meta_rev into locked
  from public.channel_counters k where k.channel_id = channel for update skip locked;
  if not found then
    select k.epoch, false, false into locked from public.channel_counters k where k.channel_id = channel for update;
  end if;
  -- Checked under the lock: of two concurrent requests with the same id one finds the other's row.
  select m.author_id, m.channel_id, m.kind into sent from public.messages m where m.id = lock_new_message.id;
  if found then
    if sent.author_id <> author or sent.channel_id <> channel or sent.kind <> 'text' then
      raise exception using errcode = 'PT409', message = 'conflict';
    end if;
    locked.is_sent := true;
  end if;
  return locked;
end
$$;
comment on function app.lock_new_message is
  'Locks the channel, as removing a member and archiving do: nothing is sent after them. The root of a reply is locked before. '
  '`meta_rev`: of the channel when the rights of the author were read; null if they are to be read under the lock. Fails with '
  'conflict if the id is of another message.';

create function app.lock_root(root uuid, channel uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked public.messages;
begin
  select m.* into locked from public.messages m where m.id = root and m.channel_id = channel for no key update;
  return locked;
end
$$;
comment on function app.lock_root is 'The root of a new reply, locked; null if it is not in the channel.';

create function app.require_posting(
  access app.channel_access, thread_root uuid, root public.messages, to_channel boolean
) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if to_channel and access.posting = 'admins' and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  elsif thread_root is null then
    return;
  elsif root.id is null or root.history_seq < access.history_from_seq then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif root.thread_root is not null or root.kind <> 'text' then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  elsif root.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
end
$$;
comment on function app.require_posting is
  'Requires that a participant may write to the channel, or in the thread of this root, or both.';

create function app.insert_message(
  sender app.sender, id uuid, channel uuid, body text, words tsvector, root public.messages, to_channel boolean,
  extras jsonb, files jsonb
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := sender.access;
  is_reply constant boolean := root.id is not null;
  counters public.channel_counters;
  sent public.messages;
  message_json jsonb;
  mentioned uuid[] := '{}';
begin
  if access.workspace_role = 'guest' or access.kind = 'direct' or sender.slow_seconds > 0 then
    perform app.require_permitted_text(access.profile_id, channel, insert_message.body, true);
  end if;
  if files <> '[]' then perform app.insert_attachments(insert_message.id, channel, files); end if;
  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, history_seq, rev, author_id, body, extras,
    created_at)
  values (insert_message.id, channel, case when to_channel then counters.last_seq end, root.id,
    case when is_reply then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, access.profile_id,
    insert_message.body, insert_message.extras, counters.last_at)
  -- A concurrent request with the same id in another channel takes another lock.
  on conflict (id) do nothing
  returning * into sent;
  if sent.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  message_json := app.message_as_json(sent, null, case when files = '[]' then files else (
    select jsonb_agg(app.attachment_as_json(f) order by f.position) from public.attachments f where f.message_id = sent.id) end,
    '[]');
  perform app.publish_new_message(sent, message_json, counters, sender);
  if files = '[]' then
    with indexed as (
      insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
      values (sent.id, channel, app.search_segment(sent.rev), sent.history_seq, sent.created_at,
        insert_message.words || array_to_tsvector(app.new_message_properties(sent))))
    insert into public.search_segments as s (channel_id, segment, first_at, last_at)
    values (channel, app.search_segment(sent.rev), sent.created_at, sent.created_at)
    on conflict (channel_id, segment) do update set last_at = greatest(s.last_at, excluded.last_at)
    where s.channel_id = excluded.channel_id;
  else
    insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
    values (sent.id, channel, sent.history_seq, sent.created_at, insert_message.words);
  end if;
  if strpos(sent.body, '<') > 0 then mentioned := app.record_mentions(sent); end if;
  if is_reply then
    update public.messages m
    set last_thread_seq = sent.thread_seq, reply_count = m.reply_count + 1, last_reply_at = sent.created_at,
      reply_people = (array[sent.author_id] || array_remove(m.reply_people, sent.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = root.id returning * into root;
    perform app.update_followers(sent, root, mentioned);
  end if;
  if access.kind in ('direct', 'group') then
    -- A person who has blocked the author sees a hidden group again with the next message of somebody else.
    update public.channel_member_state s set hidden = false
    where s.channel_id = channel and s.hidden and not exists (
      select from public.blocks b where b.profile_id = s.profile_id and b.blocked_id = access.profile_id);
  end if;
  return message_json;
end
$$;
comment on function app.insert_message is
  'Inserts a message of this sender, with its search terms, files (as require_files returned them) and '
  'mentions, and updates its thread. Checks only app.require_permitted_text; needs the locks of lock_new_message. Returns the '
  'JSON of the message.';

-- Commands ---------------------------------------------------------------------------------------------

create function app.start_tasks_of_text(
  channel uuid, body text, files jsonb default '[]', former_body text default null
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (select from public.push_subscriptions) then
    -- A sender that leaves the call of `push` to an earlier message must not be missed by that call. So it locks this key
    -- before it reads the jobs. app.claim_pushes tries to lock it exclusively, which fails while this transaction has not
    -- committed, and then has the function called once more.
    perform pg_advisory_xact_lock_shared(hashtextextended('queue_push', 0));
    if not exists (
      select from public.jobs j
      where j.kind = 'push_message' and j.failed_at is null and j.run_at <= now()
        and j.created_at > now() - interval '2 seconds')
    then
      perform app.try_start_task('push', '{"wait_ms": 100}');
    end if;
  end if;
  -- A link that an edit removes loses its preview, also if previews are switched off.
  if former_body ~ '://|www\.' or (body ~ '://|www\.' and app.fetches_link_previews(channel)) then
    perform app.try_start_task('link-previews');
  end if;
  if former_body is null
    and exists (select from public.outgoing_webhooks h where h.channel_id = channel and h.disabled_at is null)
  then
    perform app.try_start_task('outgoing-webhooks');
  end if;
  if files <> '[]' and exists (
    select from jsonb_array_elements(files) f
    join storage.objects o on o.bucket_id = 'files' and o.name = app.file_path(channel, f)
    where app.is_file_indexed(o.metadata ->> 'mimetype', (o.metadata ->> 'size')::bigint))
  then
    perform app.try_start_task('file-texts');
  end if;
end
$$;
comment on function app.start_tasks_of_text is
  'Starts the functions for the jobs that a new or edited message adds: notifications, previews, deliveries of webhooks, texts '
  'of files. Commands call it before they lock the channel, because starting a function reads secrets. If no job follows, the '
  'functions find nothing to do. `former_body`: the text that an edit replaces.';

create function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]', extras jsonb default null, drafts uuid[] default null,
  on_web boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  sender app.sender := app.require_sender(channel);
  me constant uuid := (sender.access).profile_id;
  files constant jsonb := coalesce(send_message.attachments, '[]');
  requested constant jsonb := nullif(send_message.extras, 'null');
  checked jsonb;
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  search_words tsvector;
  root public.messages;
  locked app.new_message_lock;
  message_json jsonb;
begin
  if send_message.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif jsonb_typeof(files) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  elsif jsonb_array_length(files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  perform app.accept_message_body(send_message.body,
    jsonb_array_length(files) > 0 or coalesce(requested ? 'forward', false));
  if requested is not null then perform app.require_extras_shape(requested); end if;
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.index_text(case when requested is null then send_message.body
    else app.searchable_text(coalesce(send_message.body, ''), requested) end);
  if sender.has_devices or sender.has_webhooks or files <> '[]' or send_message.body ~ '://|www\.' then
    perform app.start_tasks_of_text(channel, send_message.body, files);
  end if;

  if send_message.thread_root is not null then root := app.lock_root(send_message.thread_root, channel); end if;
  locked := app.lock_new_message(send_message.id, channel, me,
    -- A reply may have waited for its root, so its rights are always read again.
    case when send_message.thread_root is null then sender.meta_rev end);
  if locked.is_sent then
    return app.message_response(send_message.id, me) || jsonb_build_object('epoch', locked.epoch);
  end if;

  -- Under the lock, which removing a member takes as well: nothing is sent after the removal.
  if locked.is_same is not true then sender := app.require_sender(channel); end if;
  perform app.check_sender(sender);
  perform app.require_posting(sender.access, send_message.thread_root, root, to_channel);
  if send_message.on_web = false and sender.is_on_web then
    raise exception using errcode = 'PT409', message = 'channel_on_web';
  end if;
  if requested is not null then checked := app.require_extras(requested, files); end if;
  message_json := app.insert_message(sender, send_message.id, channel, send_message.body, search_words, root, to_channel,
    checked, case when files = '[]' then files else app.require_files(channel, files) end);
  if cardinality(send_message.drafts) > 0 then
    perform app.clear_draft(me, channel, send_message.thread_root, send_message.id, send_message.drafts[1:20]);
  end if;
  return jsonb_build_object('message', message_json, 'epoch', locked.epoch);
end
$$;
comment on function public.send_message is
  'Sends a message. The client chooses the id: repeated calls send it once. `extras`: what it carries besides its text. '
  '`drafts`: the changes of the author''s draft that are sent with it, 20 at most; the draft is emptied with the message. '
  '`on_web`: whether the author knew that the channel is on the web; false fails with channel_on_web where it is by now.';

create function app.replace_text(before public.messages, body text, words tsvector, extras jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  after public.messages;
  mentioned uuid[];
begin
  if replace_text.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = replace_text.words where s.message_id = before.id;
  end if;
  perform app.redact_broadcasts(before);
  perform app.lock_channels(array[before.channel_id]);
  update public.messages m
  set body = replace_text.body, edited_at = clock_timestamp(), broadcast_at = now(),
    extras = nullif(replace_text.extras, '{}'), rev = app.next_rev(before.channel_id)
  where m.id = before.id returning * into after;
  delete from public.mentions n
  where n.message_id = before.id and n.kind = 'person'
    and n.profile_id <> all (app.mentioned_profile_ids(after.body));
  delete from public.mentions n
  where n.message_id = before.id and n.kind <> 'person'
    and case n.kind when 'group' then '<@&' || n.group_id || '>' else '<!' || n.kind || '>' end
      <> all (app.mention_marks(after.body));
  mentioned := app.record_mentions(after);
  if after.thread_root is not null and cardinality(mentioned) > 0 then
    perform app.follow_mentioned(after, h, mentioned) from public.messages h where h.id = after.thread_root;
  end if;
end
$$;
comment on function app.replace_text is
  'Gives a message another text and other extras, and stores the former text. `words`: the search terms of the text. The caller has '
  'locked the message with lock_message, and checks its rights after this call: then the channel is locked too.';

create function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(edit_message.id);
  -- Before any lock. The length is checked before the text is split, which takes time in proportion to it.
  search_words constant tsvector := app.index_text(app.searchable_text(
    app.accept_message_body(edit_message.body,
      exists (select from public.attachments a where a.message_id = edit_message.id)
        or exists (select from public.messages m where m.id = edit_message.id and m.extras ? 'forward')),
    (select m.extras from public.messages m where m.id = edit_message.id)));
  before public.messages;
begin
  select * into before from public.messages m where m.id = edit_message.id;
  if before.author_id = access.profile_id and edit_message.body <> before.body then
    perform app.start_tasks_of_text(before.channel_id, edit_message.body, former_body => before.body);
  end if;
  before := app.lock_message(edit_message.id);
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
    -- Cards and sender repeat the former text.
    perform app.replace_text(before, edit_message.body, search_words, before.extras - '{cards,sender}'::text[]);
    -- Checked again under the lock, as in lock_live_message.
    perform app.require_live_message(before.id);
  end if;
  return app.message_response(before.id, access.profile_id);
end
$$;
comment on function public.edit_message is
  'Changes the text of the caller''s message; earlier texts are stored until it is deleted. An edit with an id is '
  'applied once, however often and late it is repeated.';

create function app.may_delete_messages_of_others(access app.channel_access) returns boolean
language sql stable security definer set search_path = ''
as $$
  select app.can_manage_channel(access) and exists (
    select from public.workspaces w
    where w.id = access.workspace_id and (w.deletions_by = 'channel_admins'
      or w.deletions_by = 'admins' and access.workspace_role in ('owner', 'admin')))
$$;
comment on function app.may_delete_messages_of_others is
  'Whether the caller may delete messages of others in a channel: those who manage it, as far as the workspace allows.';

create function app.erase_message(message public.messages, tombstone jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_message_deleted(message);
  -- The objects are deleted once no other message carries them.
  insert into public.file_deletion_queue (bucket_id, name)
  select 'files', a.upload_channel_id || '/' || a.upload_id || '/' || part
  from public.attachments a, unnest(array['file', 'thumb']) part
  where a.message_id = message.id and not exists (
    select from public.attachments other
    where other.upload_id = a.upload_id and other.upload_channel_id = a.upload_channel_id
      and other.message_id <> a.message_id)
  on conflict do nothing;
  delete from public.attachments a where a.message_id = message.id;
  delete from public.message_revisions r where r.message_id = message.id;
  delete from public.message_edits e where e.message_id = message.id;
  delete from public.message_search s where s.message_id = message.id;
  delete from public.mentions n where n.message_id = message.id;
  delete from public.reactions r where r.message_id = message.id;
  delete from public.pins p where p.message_id = message.id;
  perform app.redact_broadcasts(message);
  update public.messages m
  set body = '', system = null, extras = tombstone, deleted_at = clock_timestamp(), rev = app.next_rev(message.channel_id)
  where m.id = message.id;
  if message.thread_root is not null then
    perform app.uncount_reply(message.thread_root, app.next_rev(message.channel_id));
    perform app.notify_reply_deleted(message);
  end if;
end
$$;
comment on function app.erase_message is
  'Erases everything of a message, which is locked, and leaves its tombstone: its numbers, its author, and these extras.';

create function app.start_deletion_of_files(message uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (select from public.attachments a where a.message_id = message) then perform app.try_start_task('delete-files'); end if;
end
$$;
comment on function app.start_deletion_of_files is
  'Calls the function delete-files if a message that is going to be deleted has files. Commands call it before they lock the message.';

create function public.delete_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_message(delete_message.id);
  before public.messages;
begin
  perform app.start_deletion_of_files(delete_message.id);
  before := app.lock_message(delete_message.id);
  -- System messages contain names and topics; those who manage the channel may delete them.
  if before.author_id <> access.profile_id and not app.may_delete_messages_of_others(access)
    or before.kind <> 'text' and not app.can_manage_channel(access)
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if before.deleted_at is null then perform app.erase_message(before, null); end if;
  return app.message_response(before.id, access.profile_id);
end
$$;
comment on function public.delete_message is
  'Empties a message: its text, earlier texts, files, reactions and stored broadcasts are removed, its numbers stay. '
  'For its author; for those who manage the channel any message, system messages included.';

-- Sending without a session ----------------------------------------------------------------------------

create function app.require_writer(person uuid, channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  sender app.sender;
begin
  if person is not null then sender := app.sender_of(person, channel); end if;
  if sender.is_bot is not true and not exists (
    select from public.profiles p join auth.users u on u.id = p.user_id
    where p.id = person and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null)
  then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  perform app.check_sender(sender);
  return sender;
end
$$;
comment on function app.require_writer is
  'What a message of a person or a bot to a channel depends on, as require_sender returns it for a caller with a session. Fails '
  'with not_a_member, also if the account is disabled, archived or silenced.';

create function app.post_as(
  author uuid, id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  quote uuid default null, files jsonb default '[]', extras jsonb default null
) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Before any lock, as in send_message.
  search_words constant tsvector := app.index_text(app.accept_message_body(body, jsonb_array_length(files) > 0));
  to_channel constant boolean := post_as.thread_root is null or also_to_channel;
  sender app.sender;
  root public.messages;
  quoted record;
begin
  perform app.start_tasks_of_text(channel, post_as.body, files);
  if post_as.thread_root is not null then root := app.lock_root(post_as.thread_root, channel); end if;
  if (app.lock_new_message(post_as.id, channel, author, null)).is_sent then return post_as.id; end if;
  sender := app.require_writer(author, channel);
  perform app.require_posting(sender.access, post_as.thread_root, root, to_channel);
  if quote is not null then
    select m.deleted_at into quoted
    from public.messages m cross join lateral app.channel_access_of_person(author, m.channel_id) a
    where m.id = quote and m.history_seq >= a.history_from_seq;
    if not found then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif quoted.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  if files <> '[]' and exists (
    select from jsonb_array_elements(files) f
    where not exists (select from storage.objects o where o.bucket_id = 'files' and o.name = app.file_path(channel, f))
      or exists (select from public.file_deletion_queue q where q.bucket_id = 'files' and q.name = app.file_path(channel, f)))
  then
    raise exception using errcode = 'PT409', message = 'attachments_missing';
  end if;
  if quote is not null then
    extras := coalesce(extras, '{}') || jsonb_build_object('quote', jsonb_build_object('message_id', quote));
  end if;
  perform app.insert_message(sender, post_as.id, channel, post_as.body, search_words, root, to_channel, extras, files);
  return post_as.id;
end
$$;
comment on function app.post_as is
  'Sends a message of a person or a bot without a session, with the rights that the author has now; returns its id. '
  '`files`: as require_files returned them; `extras`: already checked. Repeated calls with one id send it once. Fails as send_message does: with '
  'not_a_member, archived, silenced, posting_admins, attachments_missing or conflict, in a thread or with a quote also '
  'with not_found or message_deleted.';

create function app.post_as_bot(
  bot uuid, channel uuid, body text, thread_root uuid default null, extras jsonb default null
) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if auth.uid() is null then perform app.consume_characters_of(bot, 'characters', body); end if;
  return app.post_as(bot, app.create_message_id(), channel, body, thread_root, extras => extras);
end
$$;
comment on function app.post_as_bot is
  'Sends a message of a bot without a session, as send_message does with one; returns its id. Fails with not_a_member, '
  'archived, silenced, posting_admins, rate_limited, or in a thread with not_found or message_deleted.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.messages_by_ids, public.send_message, public.edit_message, public.delete_message
  from public, anon, authenticated, service_role;
grant execute on function public.messages_by_ids, public.send_message, public.edit_message, public.delete_message
  to authenticated;
