-- The list of files: of a channel or a workspace, newest first, filtered by kind, author and name. The cost depends on
-- the number of readable channels and the size of the page, not on the number of messages or files.

insert into public.settings (key, value) values ('list_files_examined', '200');

-- Names ------------------------------------------------------------------------------------------------

create function app.name_words(name text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
begin
  return array_to_tsvector(array(
    select distinct substr(w.word, start)
    from unnest(app.split_words(name)) w (word), generate_series(1, char_length(w.word)) start));
end
$$;
comment on function app.name_words is
  'The words of a name and all their suffixes, so that a query by word beginning finds any part of a word: people '
  'remember a file by any part of its name.';

-- Tables -----------------------------------------------------------------------------------------------

create table public.listed_files (
  message_id uuid not null,
  upload_id uuid not null,
  channel_id uuid not null references public.channels (id) on delete cascade,
  history_seq bigint not null,
  author_id uuid not null,
  created_at timestamptz not null,
  position smallint not null,
  kind text not null
    constraint listed_files_kind_known check (kind in ('picture', 'video', 'audio', 'pdf', 'text', 'other')),
  words tsvector not null,
  primary key (message_id, upload_id),
  constraint listed_files_attached foreign key (message_id, upload_id)
    references public.attachments (message_id, upload_id) on delete cascade
);
create index listed_files_channel
  on public.listed_files (channel_id, kind, created_at desc, message_id desc, position);
-- Channel and author as one expression: with two columns the planner chose the index above, and read a whole channel
-- for an author without files in it.
create index listed_files_author
  on public.listed_files ((array[channel_id, author_id]), kind, created_at desc, message_id desc, position);
-- Without a pending list and statistics, as message_search_terms.
create index listed_files_terms on public.listed_files
  using gin (app.search_terms(channel_id, 0, words)) with (fastupdate = off);
alter index public.listed_files_terms alter column 1 set statistics 0;
create index listed_files_newest on public.listed_files (created_at desc, message_id desc, position);
comment on table public.listed_files is
  'Attachments by channel, kind, author and time, and the words of their names. Separate, since the message is '
  'inserted after its attachments. Read by list_files only. No access for clients.';
alter table public.listed_files enable row level security;
revoke all on public.listed_files from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.listed_files to service_role;

create function app.add_listed_file() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.listed_files (message_id, upload_id, channel_id, history_seq, author_id, created_at, position, kind,
    words)
  select new.message_id, new.upload_id, m.channel_id, m.history_seq, m.author_id, m.created_at, new.position,
    app.file_kind(new.type), app.name_words(new.name)
  from public.messages m
  -- Not if it was attached and deleted in one transaction.
  where m.id = new.message_id and exists (
    select from public.attachments a where a.message_id = new.message_id and a.upload_id = new.upload_id);
  return null;
end
$$;
comment on function app.add_listed_file is 'Adds an attachment to listed_files once its message exists.';
create constraint trigger attachments_listed after insert on public.attachments
  deferrable initially deferred for each row execute function app.add_listed_file();
comment on trigger attachments_listed on public.attachments is
  'Deferred: attachments are inserted before their message, which has the author, time and channel.';

-- Listing ----------------------------------------------------------------------------------------------

create type app.file_cursor as (created_at timestamptz, message_id uuid, position smallint);
comment on type app.file_cursor is 'A cursor in a list of files: the page begins after it.';

create function app.parse_file_cursor(encoded text) returns app.file_cursor
language plpgsql immutable set search_path = ''
as $$
begin
  if encoded is null then return ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 9)::app.file_cursor; end if;
  if encoded !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9]$' then
    raise exception using errcode = 'PT400', message = 'bad_cursor';
  end if;
  return (timestamptz 'epoch' + split_part(encoded, ' ', 1)::bigint * interval '1 microsecond',
    split_part(encoded, ' ', 2), split_part(encoded, ' ', 3))::app.file_cursor;
end
$$;
comment on function app.parse_file_cursor is 'Parses a cursor of list_files; null is the beginning of the list.';

create function app.my_file_lists(workspace uuid, channel uuid, kinds text[])
returns table (channel_id uuid, kind text, history_from_seq bigint, since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select c.channel_id, k.kind, c.history_from_seq, c.since
    from app.my_channels_since(workspace, channel) c cross join unnest(kinds) k (kind);
end
$$;
comment on function app.my_file_lists is
  'The combinations of channel and kind that the caller may list. With a history start nothing before its first '
  'message is read, so that the older files of a channel cost a new member nothing.';

create function app.files_by_channel(
  workspace uuid, channel uuid, kinds text[], past app.file_cursor, max_files integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with lists as materialized (select * from app.my_file_lists(workspace, channel, kinds)),
    -- The newest n files are among the n lists with the newest first file: the others are not read further.
    newest as materialized (
      select p.* from lists p cross join lateral (
        select f.created_at, f.message_id, f.position from public.listed_files f
        where f.channel_id = p.channel_id and f.kind = p.kind
          and f.history_seq >= p.history_from_seq and f.created_at >= p.since
          and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
          and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
        order by f.created_at desc, f.message_id desc, f.position limit 1) h
      order by h.created_at desc, h.message_id desc, h.position limit max_files)
    select f.* from newest p cross join lateral (
      select l.* from public.listed_files l
      where l.channel_id = p.channel_id and l.kind = p.kind
        and l.history_seq >= p.history_from_seq and l.created_at >= p.since
        and (l.created_at, l.message_id) <= (past.created_at, past.message_id)
        and ((l.created_at, l.message_id) < (past.created_at, past.message_id) or l.position > past.position)
      order by l.created_at desc, l.message_id desc, l.position limit max_files) f
    order by f.created_at desc, f.message_id desc, f.position limit max_files;
end
$$;
comment on function app.files_by_channel is 'Files after a cursor that the caller may see, newest first.';

create function app.files_by_author(
  workspace uuid, channel uuid, kinds text[], author uuid, past app.file_cursor, max_files integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with lists as materialized (select * from app.my_file_lists(workspace, channel, kinds)),
    newest as materialized (
      select p.* from lists p cross join lateral (
        select f.created_at, f.message_id, f.position from public.listed_files f
        where array[f.channel_id, f.author_id] = array[p.channel_id, author] and f.kind = p.kind
          and f.history_seq >= p.history_from_seq and f.created_at >= p.since
          and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
          and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
        order by f.created_at desc, f.message_id desc, f.position limit 1) h
      order by h.created_at desc, h.message_id desc, h.position limit max_files)
    select f.* from newest p cross join lateral (
      select l.* from public.listed_files l
      where array[l.channel_id, l.author_id] = array[p.channel_id, author] and l.kind = p.kind
        and l.history_seq >= p.history_from_seq and l.created_at >= p.since
        and (l.created_at, l.message_id) <= (past.created_at, past.message_id)
        and ((l.created_at, l.message_id) < (past.created_at, past.message_id) or l.position > past.position)
      order by l.created_at desc, l.message_id desc, l.position limit max_files) f
    order by f.created_at desc, f.message_id desc, f.position limit max_files;
end
$$;
comment on function app.files_by_author is 'As files_by_channel, of one author.';

create function app.files_by_words(
  workspace uuid, channel uuid, kinds text[], author uuid, terms text[], past app.file_cursor, max_files integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
    select f.* from app.my_channels_since(workspace, channel) c cross join lateral (
      -- `offset 0` is an optimisation fence: only the index of terms can be used.
      select l.* from public.listed_files l
      where app.search_terms(l.channel_id, 0, l.words) @@ app.terms_query(c.channel_id, 0, terms)
      offset 0) f
    where f.channel_id = c.channel_id and f.history_seq >= c.history_from_seq
      and (author is null or f.author_id = author) and f.kind = any (kinds)
      and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
      and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
    order by f.created_at desc, f.message_id desc, f.position limit max_files;
end
$$;
comment on function app.files_by_words is
  'As files_by_channel, of files whose names contain all words or parts of words.';

create function app.newest_files_by_words(
  workspace uuid, channel uuid, kinds text[], author uuid, terms text[], past app.file_cursor, max_files integer,
  examined integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  history_starts constant jsonb := (
    select jsonb_object_agg(c.channel_id, c.history_from_seq) from app.my_channels_since(workspace, channel) c);
  words_query constant tsquery := (select string_agg('''' || w || ''':*', ' & ') from unnest(terms) w)::tsquery;
begin
  return query
    select f.* from (
      select l.* from public.listed_files l
      where (l.created_at, l.message_id) <= (past.created_at, past.message_id)
      order by l.created_at desc, l.message_id desc, l.position limit examined) f
    where ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
      and f.history_seq >= (history_starts ->> f.channel_id::text)::bigint
      and (author is null or f.author_id = author) and f.kind = any (kinds) and f.words @@ words_query
    order by f.created_at desc, f.message_id desc, f.position limit max_files;
end
$$;
comment on function app.newest_files_by_words is
  'As files_by_words, among so many of the newest files after the cursor only: what many names contain, such as one '
  'letter or "png", fills a page from them, where the index of terms would return every file with such a name.';

create function public.list_files(
  workspace uuid, channel uuid default null, kinds text[] default null, author uuid default null,
  query text default null, before text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(list_files."limit", 50), 1), 100);
  past constant app.file_cursor := app.parse_file_cursor(before);
  name_query constant text := nullif(btrim(left(list_files.query, 255)), '');
  terms constant text[] := app.query_words(coalesce(name_query, ''));
  of_kinds constant text[] := array(select distinct k from unnest(coalesce(list_files.kinds, app.file_kinds())) k);
  examined integer := coalesce(
    (select s.value::integer from public.settings s where s.key = 'list_files_examined'), 200);
  listed public.listed_files[];
  last public.listed_files;
begin
  if channel is not null and (app.require_reader(channel)).workspace_id <> workspace then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif cardinality(of_kinds) = 0 or not of_kinds <@ app.file_kinds() or array_position(of_kinds, null) is not null then
    raise exception using errcode = 'PT400', message = 'bad_file_kind';
  end if;
  if name_query is not null then
    listed := array(
      select f
      from app.newest_files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1, examined) f);
    -- Half as many again as should be needed, if that is not too many.
    if cardinality(listed) between greatest((size + 1) * 3 / 20, 1) and size then
      examined := examined * (size + 1) * 3 / (cardinality(listed) * 2);
      listed := array(
        select f
        from app.newest_files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1, examined) f);
    end if;
    -- Without a full page there may be older matches: few names contain these words.
    if cardinality(listed) <= size then
      listed := array(
        select f from app.files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1) f);
    end if;
  elsif author is not null then
    listed := array(select f from app.files_by_author(workspace, channel, of_kinds, author, past, size + 1) f);
  else
    listed := array(select f from app.files_by_channel(workspace, channel, of_kinds, past, size + 1) f);
  end if;
  last := listed[size];
  return jsonb_build_object(
    'files', coalesce((
      select jsonb_agg(jsonb_build_object('message_id', m.id, 'channel_id', m.channel_id, 'thread_root', m.thread_root,
        'author_id', m.author_id, 'created_at', m.created_at, 'position', a.position,
        'file', app.attachment_as_json(a)) order by f.ordinal)
      from unnest(listed[1:size]) with ordinality f (
        message_id, upload_id, channel_id, history_seq, author_id, created_at, position, kind, words, ordinal)
      join public.messages m on m.id = f.message_id
      join public.attachments a on a.message_id = f.message_id and a.upload_id = f.upload_id), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.message_id || ' ' || last.position end);
end
$$;
comment on function public.list_files is
  'Files of messages that the caller may read, newest first: of a channel or the workspace, optionally of these kinds, '
  'of one author, or with these words in the name.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_files from public, anon, authenticated, service_role;
grant execute on function public.list_files to authenticated;
