-- Listing: the files of a channel or of a workspace, newest first, by what they are, whose they are and what they are
-- called. Its cost is that of the channels one reads and of a page, however much was ever said or attached.

create function app.attachment_as_json(file public.attachments) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', file.upload_id, 'name', file.name, 'type', file.type, 'size', file.size,
    'width', file.width, 'height', file.height, 'thumb', file.thumb)
$$;
comment on function app.attachment_as_json is 'A file as its message and lists show it.';

create or replace function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
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
      order by wanted.place)
    from unnest(ids) with ordinality wanted (id, place)
    join public.messages m on m.id = wanted.id
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

-- What a file is, and what it is called ---------------------------------------------------------------------

create function app.file_kinds() returns text[]
language sql immutable set search_path = ''
as $$ select array['picture', 'video', 'audio', 'pdf', 'text', 'other'] $$;
comment on function app.file_kinds is 'What files are to who looks at them, as in wire/fileKinds.ts.';

create function app.file_kind(type text) returns text
language sql immutable set search_path = ''
as $$
  select case
    when t.essence ~ '^image/(png|jpeg|gif|webp|avif)$' then 'picture'
    when t.essence ~ '^video/(mp4|webm|ogg|quicktime|x-m4v)$' then 'video'
    when t.essence ~ ('^audio/(mpeg|mp3|mp4|x-m4a|m4a|aac|ogg|opus|webm|wav|wave|x-wav|vnd\.wave|flac|x-flac)$')
      then 'audio'
    when t.essence ~ '^application/pdf$' then 'pdf'
    when t.essence ~ ('^(text/(plain|markdown|csv|tab-separated-values|css|javascript|typescript|yaml|calendar|vcard'
      '|x-[a-z0-9.-]+(\+\+[a-z]*)?)|application/(json|ld\+json|x-ndjson|javascript|x-javascript|typescript|yaml|x-yaml'
      '|toml|sql|x-sh|x-shellscript))$') then 'text'
    else 'other' end
  from (select lower(btrim(split_part(type, ';', 1), E' \t\n\r\f\x0b') collate "C") as essence) t
$$;
comment on function app.file_kind is 'What a file of this media type is, by the table of wire/fileKinds.ts; a test compares both.';

create function app.name_words(name text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
begin
  return array_to_tsvector(array(
    select distinct substr(w.word, place)
    from unnest(app.split_words(name)) w (word), generate_series(1, char_length(w.word)) place));
end
$$;
comment on function app.name_words is
  'The words of a name and all their ends, so that the beginning of a word finds what stands anywhere within it: a file '
  'is remembered by any part of its name.';

-- The list --------------------------------------------------------------------------------------------------

create table public.listed_files (
  message_id uuid not null,
  upload_id uuid not null,
  channel_id uuid not null references public.channels (id) on delete cascade,
  base_seq bigint not null,
  author_id uuid not null,
  created_at timestamptz not null,
  position smallint not null,
  kind text not null constraint listed_files_kind_known check (kind in ('picture', 'video', 'audio', 'pdf', 'text', 'other')),
  words tsvector not null,
  primary key (message_id, upload_id),
  constraint listed_files_attached foreign key (message_id, upload_id)
    references public.attachments (message_id, upload_id) on delete cascade
);
create index listed_files_channel
  on public.listed_files (channel_id, kind, created_at desc, message_id desc, position);
-- Channel and person as one value: with a column for each, the walk along the index above looked as cheap, and read the
-- whole of a channel for somebody who has no file there.
create index listed_files_author
  on public.listed_files ((array[channel_id, author_id]), kind, created_at desc, message_id desc, position);
-- Without a pending list, as the words of messages.
create index listed_files_words on public.listed_files using gin (words) with (fastupdate = off);
comment on table public.listed_files is
  'Files by channel, kind and author in order of time, and their names in words: apart, since a message knows these only '
  'after its files are written. Read by list_files alone.';

alter table public.listed_files enable row level security;
revoke all on public.listed_files from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.listed_files to service_role;

insert into public.listed_files (message_id, upload_id, channel_id, base_seq, author_id, created_at, position, kind, words)
select a.message_id, a.upload_id, m.channel_id, m.base_seq, m.author_id, m.created_at, a.position,
  app.file_kind(a.type), app.name_words(a.name)
from public.attachments a join public.messages m on m.id = a.message_id;

create function app.list_file() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.listed_files (message_id, upload_id, channel_id, base_seq, author_id, created_at, position, kind, words)
  select new.message_id, new.upload_id, m.channel_id, m.base_seq, m.author_id, m.created_at, new.position,
    app.file_kind(new.type), app.name_words(new.name)
  from public.messages m
  -- Attached and deleted in one transaction: there is nothing to list.
  where m.id = new.message_id and exists (
    select from public.attachments a where a.message_id = new.message_id and a.upload_id = new.upload_id);
  return null;
end
$$;
comment on function app.list_file is 'Lists a file once its message is there.';

create constraint trigger attachments_listed after insert on public.attachments
  deferrable initially deferred for each row execute function app.list_file();
comment on trigger attachments_listed on public.attachments is
  'Deferred: files are written before their message, which knows who said it, when and where.';

-- Reading it ------------------------------------------------------------------------------------------------

create type app.file_cursor as (created_at timestamptz, message_id uuid, position smallint);
comment on type app.file_cursor is 'A place in a list of files: what is listed comes after it.';

create function app.as_file_cursor(said text) returns app.file_cursor
language plpgsql immutable set search_path = ''
as $$
begin
  if said is null then return ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 9)::app.file_cursor; end if;
  if said !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9]$' then
    raise exception using errcode = 'PT400', message = 'bad_cursor';
  end if;
  return (timestamptz 'epoch' + split_part(said, ' ', 1)::bigint * interval '1 microsecond',
    split_part(said, ' ', 2), split_part(said, ' ', 3))::app.file_cursor;
end
$$;
comment on function app.as_file_cursor is 'A cursor as list_files gave it; null: the beginning.';

create function app.my_file_places(workspace uuid, channel uuid, kinds text[])
returns table (channel_id uuid, kind text, history_from_seq bigint, since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select r.channel_id, k.kind, r.history_from_seq, f.since
    from app.my_reach() r
    join public.channels c on c.id = r.channel_id and c.workspace_id = workspace
    cross join lateral (
      select case when r.history_from_seq <= 1 then '-infinity'
        else coalesce((
          select m.created_at from public.messages m
          where m.channel_id = r.channel_id and m.seq >= r.history_from_seq order by m.seq limit 1), 'infinity')
        end as since offset 0) f
    cross join unnest(kinds) k (kind)
    where channel is null or r.channel_id = channel;
end
$$;
comment on function app.my_file_places is
  'The lists of which what the caller may see is made: one a channel and kind. Behind a floor nothing is older than its '
  'first message, so that a newcomer does not read through what was there before.';

create function app.files_by_place(
  workspace uuid, channel uuid, kinds text[], past app.file_cursor, most integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with places as materialized (select * from app.my_file_places(workspace, channel, kinds)),
    -- The newest n of all are among the lists whose own newest are: the others are not read any further.
    newest as materialized (
      select p.* from places p cross join lateral (
        select f.created_at, f.message_id, f.position from public.listed_files f
        where f.channel_id = p.channel_id and f.kind = p.kind
          and f.base_seq >= p.history_from_seq and f.created_at >= p.since
          and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
          and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
        order by f.created_at desc, f.message_id desc, f.position limit 1) h
      order by h.created_at desc, h.message_id desc, h.position limit most)
    select f.* from newest p cross join lateral (
      select l.* from public.listed_files l
      where l.channel_id = p.channel_id and l.kind = p.kind
        and l.base_seq >= p.history_from_seq and l.created_at >= p.since
        and (l.created_at, l.message_id) <= (past.created_at, past.message_id)
        and ((l.created_at, l.message_id) < (past.created_at, past.message_id) or l.position > past.position)
      order by l.created_at desc, l.message_id desc, l.position limit most) f
    order by f.created_at desc, f.message_id desc, f.position limit most;
end
$$;
comment on function app.files_by_place is 'Files after a cursor that the caller may see, newest first.';

create function app.files_by_author(
  workspace uuid, channel uuid, kinds text[], author uuid, past app.file_cursor, most integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with places as materialized (select * from app.my_file_places(workspace, channel, kinds)),
    newest as materialized (
      select p.* from places p cross join lateral (
        select f.created_at, f.message_id, f.position from public.listed_files f
        where array[f.channel_id, f.author_id] = array[p.channel_id, author] and f.kind = p.kind
          and f.base_seq >= p.history_from_seq and f.created_at >= p.since
          and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
          and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
        order by f.created_at desc, f.message_id desc, f.position limit 1) h
      order by h.created_at desc, h.message_id desc, h.position limit most)
    select f.* from newest p cross join lateral (
      select l.* from public.listed_files l
      where array[l.channel_id, l.author_id] = array[p.channel_id, author] and l.kind = p.kind
        and l.base_seq >= p.history_from_seq and l.created_at >= p.since
        and (l.created_at, l.message_id) <= (past.created_at, past.message_id)
        and ((l.created_at, l.message_id) < (past.created_at, past.message_id) or l.position > past.position)
      order by l.created_at desc, l.message_id desc, l.position limit most) f
    order by f.created_at desc, f.message_id desc, f.position limit most;
end
$$;
comment on function app.files_by_author is 'As files_by_place, of one person.';

create function app.files_by_words(
  workspace uuid, channel uuid, kinds text[], author uuid, wanted tsquery, past app.file_cursor, most integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select f.* from (
      -- The fence keeps the words' own index the way in: rights only take away from what it finds.
      select l.* from public.listed_files l
      where l.words @@ wanted and (channel is null or l.channel_id = channel) and (author is null or l.author_id = author)
        and l.kind = any (kinds)
        and (l.created_at, l.message_id) <= (past.created_at, past.message_id)
        and ((l.created_at, l.message_id) < (past.created_at, past.message_id) or l.position > past.position)
      offset 0) f
    join app.my_reach() r on r.channel_id = f.channel_id and f.base_seq >= r.history_from_seq
    join public.channels c on c.id = f.channel_id and c.workspace_id = workspace
    order by f.created_at desc, f.message_id desc, f.position limit most;
end
$$;
comment on function app.files_by_words is 'As files_by_place, of those whose names hold all words or parts of words.';

create function public.list_files(
  workspace uuid, channel uuid default null, kinds text[] default null, author uuid default null,
  words text default null, before text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(list_files."limit", 50), 1), 100);
  past constant app.file_cursor := app.as_file_cursor(before);
  named constant text := nullif(btrim(left(list_files.words, 255)), '');
  of_kinds constant text[] := array(select distinct k from unnest(coalesce(list_files.kinds, app.file_kinds())) k);
  listed public.listed_files[];
  last public.listed_files;
begin
  if channel is not null and (app.require_reader(channel)).workspace_id <> workspace then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif cardinality(of_kinds) = 0 or not of_kinds <@ app.file_kinds() or array_position(of_kinds, null) is not null then
    raise exception using errcode = 'PT400', message = 'bad_file_kind';
  end if;
  if named is not null then
    listed := array(
      select f from app.files_by_words(workspace, channel, of_kinds, author, app.words_query(named), past, size + 1) f);
  elsif author is not null then
    listed := array(select f from app.files_by_author(workspace, channel, of_kinds, author, past, size + 1) f);
  else
    listed := array(select f from app.files_by_place(workspace, channel, of_kinds, past, size + 1) f);
  end if;
  last := listed[size];
  return jsonb_build_object(
    'files', coalesce((
      select jsonb_agg(jsonb_build_object('message_id', m.id, 'channel_id', m.channel_id, 'thread_root', m.thread_root,
        'author_id', m.author_id, 'created_at', m.created_at, 'position', a.position,
        'file', app.attachment_as_json(a)) order by f.place)
      from unnest(listed[1:size]) with ordinality f (
        message_id, upload_id, channel_id, base_seq, author_id, created_at, position, kind, words, place)
      join public.messages m on m.id = f.message_id
      join public.attachments a on a.message_id = f.message_id and a.upload_id = f.upload_id), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.message_id || ' ' || last.position end);
end
$$;
comment on function public.list_files is
  'Files of messages that the caller may read, newest first: of a channel or of the workspace, of these kinds, of one '
  'person, and by parts of their names.';

revoke execute on function public.list_files from public, anon, authenticated, service_role;
grant execute on function public.list_files to authenticated;

revoke execute on all functions in schema app from public;