-- Messages and what hangs on them.

-- Tables ------------------------------------------------------------------------------------------------

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
  edited_at timestamptz,
  deleted_at timestamptz,
  constraint messages_in_channel unique (channel_id, id),
  constraint messages_seq_once unique (channel_id, seq),
  constraint messages_rev_once unique (channel_id, rev),
  constraint messages_thread_in_channel
    foreign key (channel_id, thread_root) references public.messages (channel_id, id),
  constraint messages_numbered check (
    (thread_root is null and seq is not null and thread_seq is null and base_seq = seq)
    or (thread_root is not null and thread_seq is not null)
  ),
  constraint messages_deleted_are_empty check (deleted_at is null or (body = '' and system is null)),
  constraint messages_system_says check ((kind = 'system') = (system is not null) or deleted_at is not null)
);
create unique index messages_thread_seq_once on public.messages (channel_id, thread_root, thread_seq)
  where thread_root is not null;
-- What counts as unread, in order, so that counting to 100 reads about as many entries.
create index messages_unread on public.messages (channel_id, seq) include (author_id)
  where seq is not null and deleted_at is null and kind = 'text';
create index messages_author on public.messages (author_id);
comment on table public.messages is
  'What was said. Named by the client, numbered by the server, never moved; deleted ones stay as empty rows.';
comment on column public.messages.base_seq is 'Its own seq or its root''s: what floors and search compare with.';
comment on column public.messages.rev is 'The channel''s rev at this message''s last change.';

create table public.message_search (
  message_id uuid primary key
    references public.messages (id) on delete cascade deferrable initially deferred,
  channel_id uuid not null references public.channels (id) on delete cascade,
  base_seq bigint not null,
  created_at timestamptz not null,
  words tsvector not null
);
-- Without a pending list: some send would have to empty it for all others, and take a hundred times as long.
create index message_search_words on public.message_search using gin (words) with (fastupdate = off);
create index message_search_channel on public.message_search (channel_id);
comment on table public.message_search is
  'The words of messages, apart, so that a reaction doesn''t rewrite an index. Read by search_messages alone.';

create table public.message_revisions (
  message_id uuid not null references public.messages (id) on delete cascade,
  rev bigint not null,
  body text not null,
  written_at timestamptz not null,
  primary key (message_id, rev)
);
comment on table public.message_revisions is 'What a message said before it was edited; gone when it is deleted.';

create table public.reactions (
  message_id uuid not null references public.messages (id) on delete cascade,
  emoji text not null
    constraint reactions_emoji_plain check (char_length(emoji) between 1 and 64 and emoji !~ '[[:cntrl:][:space:]]'),
  profile_id uuid not null references public.profiles (id) on delete cascade,
  position bigint not null generated always as identity,
  created_at timestamptz not null default now(),
  primary key (message_id, emoji, profile_id)
);
create index reactions_profile on public.reactions (profile_id);
comment on table public.reactions is 'Who answered a message with which sign, in order.';

create table public.pins (
  message_id uuid primary key references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  pinned_by uuid not null references public.profiles (id) on delete cascade,
  pinned_at timestamptz not null default now()
);
create index pins_channel on public.pins (channel_id);
create index pins_pinned_by on public.pins (pinned_by);
comment on table public.pins is 'Messages kept at hand in their channel.';

create table public.mentions (
  id bigint primary key generated always as identity,
  message_id uuid not null references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  kind text not null constraint mentions_kind_known check (kind in ('person', 'channel', 'here')),
  profile_id uuid references public.profiles (id) on delete cascade,
  author_id uuid not null references public.profiles (id) on delete cascade,
  seq bigint,
  constraint mentions_once unique nulls not distinct (message_id, kind, profile_id),
  constraint mentions_person_named check ((kind = 'person') = (profile_id is not null))
);
create index mentions_person on public.mentions (profile_id, channel_id, seq) where profile_id is not null;
create index mentions_everyone on public.mentions (channel_id, seq) where profile_id is null;
create index mentions_author on public.mentions (author_id);
comment on table public.mentions is
  'Who a message calls. @channel is one row, not a thousand; only people who can read the message are called.';

create table public.thread_members (
  root_id uuid not null references public.messages (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  follows boolean not null default true,
  last_read_thread_seq bigint not null default 0,
  read_version bigint not null default 0,
  primary key (root_id, profile_id)
);
create index thread_members_profile on public.thread_members (profile_id);
comment on table public.thread_members is 'One''s own place in a thread: whether one follows it, and how far one has read.';

create unlogged table public.heartbeats (
  profile_id uuid primary key references public.profiles (id) on delete cascade,
  state text not null constraint heartbeats_state_known check (state in ('active', 'away')),
  seen_at timestamptz not null
);
comment on table public.heartbeats is
  'Who was here a moment ago. Unlogged: worth nothing after a crash, and written by everyone each minute.';

-- Words for search ---------------------------------------------------------------------------------------

create function app.split_words(said text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  -- Scripts that write without spaces are cut into pairs, so that any part of a sentence is found.
  unspaced constant text := '[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]';
  between_words constant text := '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-'
    '\u00B8\u00BB-\u00BF\u00D7\u00F7\u060C\u061B\u061F\u066A-\u066D\u0964\u0965\u2000-\u206F\u3000-\u3004'
    '\u3006-\u303F\uFE00-\uFE0F]+';
  folded text := lower(normalize(regexp_replace(said, '<[@!][^<>]*>', ' ', 'g'), nfkc));
  found text[] := '{}';
  run text;
begin
  if folded ~ unspaced then
    for run in select m[1] from regexp_matches(folded, '(' || unspaced || '+)', 'g') m loop
      -- The last sign alone too, or it could only be found behind its neighbour.
      found := found || array(
        select concat(sign, lead(sign) over (order by place))
        from regexp_split_to_table(run, '') with ordinality s (sign, place));
    end loop;
    folded := regexp_replace(folded, unspaced || '+', ' ', 'g');
  end if;
  return array(
    select distinct left(w, 100)
    from unnest(found || regexp_split_to_array(folded, between_words)) w where w <> '');
end
$$;
comment on function app.split_words is
  'The distinct words of a text in any script. By code points rather than a text search configuration, so that '
  'both homes cut alike whatever their locale.';

create function app.words_query(said text) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  found constant text[] := app.split_words(said);
  wanted text;
begin
  -- Words hold neither quotes nor backslashes, which separate them; each matches what begins with it. The last
  -- sign of a run that is cut into pairs asks nothing more than its pair does.
  select string_agg('''' || w || ''':*', ' & ') into wanted from unnest(found) w
  where char_length(w) > 1 or not exists (select from unnest(found) pair where pair like '_' || w);
  return wanted::tsquery;
end
$$;
comment on function app.words_query is 'Every word of a search, as beginnings of words; null when it holds none.';

create function app.mentioned_people(said text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct m[1]::uuid
    from regexp_matches(said, '<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>', 'g') m
    limit 100)
$$;
comment on function app.mentioned_people is 'Profile ids in `<@…>` marks, at most 100.';

-- Row security ------------------------------------------------------------------------------------------

alter table public.messages enable row level security;
alter table public.message_search enable row level security;
alter table public.message_revisions enable row level security;
alter table public.reactions enable row level security;
alter table public.pins enable row level security;
alter table public.mentions enable row level security;
alter table public.thread_members enable row level security;
alter table public.heartbeats enable row level security;

create policy "readers see messages from their floor on" on public.messages
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_reach() r where r.history_from_seq = 1)
    or exists (
      select from app.my_reach() r
      where r.channel_id = messages.channel_id and r.history_from_seq > 1
        and messages.base_seq >= r.history_from_seq
    )
  );
comment on policy "readers see messages from their floor on" on public.messages is
  'Both sets are made once a statement; base_seq is a root''s for its replies, so a thread is seen whole or not.';

create policy "authors see their earlier versions" on public.message_revisions
  for select to authenticated using (
    message_id in (select m.id from public.messages m where m.author_id = (select app.my_profile_id()))
  );
comment on policy "authors see their earlier versions" on public.message_revisions is
  'What was corrected stays with who wrote it; messages'' own policy applies inside.';

create policy "readers of a message see its reactions" on public.reactions
  for select to authenticated using (exists (select from public.messages m where m.id = reactions.message_id));
comment on policy "readers of a message see its reactions" on public.reactions is
  'Asked through messages, whose policy applies inside: what hangs on a message is seen with it, never else.';

create policy "readers of a message see its pin" on public.pins
  for select to authenticated using (exists (select from public.messages m where m.id = pins.message_id));
comment on policy "readers of a message see its pin" on public.pins is 'As reactions.';

create policy "readers of a message see whom it calls" on public.mentions
  for select to authenticated using (exists (select from public.messages m where m.id = mentions.message_id));
comment on policy "readers of a message see whom it calls" on public.mentions is
  'As reactions: being mentioned opens nothing.';

create policy "people see their own place in threads" on public.thread_members
  for select to authenticated using (
    profile_id = (select app.my_profile_id())
    and exists (select from public.messages m where m.id = thread_members.root_id)
  );
comment on policy "people see their own place in threads" on public.thread_members is
  'What someone follows is their own, and ends with the sight of the thread.';

revoke all on public.messages, public.message_search, public.message_revisions, public.reactions, public.pins,
  public.mentions, public.thread_members, public.heartbeats from public, anon, authenticated, service_role;
grant select on public.messages, public.message_revisions, public.reactions, public.pins, public.mentions,
  public.thread_members to authenticated;
grant select, insert, update, delete on public.messages, public.message_search, public.message_revisions,
  public.reactions, public.pins, public.mentions, public.thread_members, public.heartbeats to service_role;

revoke execute on all functions in schema app from public;
