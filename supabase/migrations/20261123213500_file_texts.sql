-- Text inside of attached files is found by search. Decision 44 gives the reasons.
--
-- An attached file adds a job and calls the function `file-texts` once its message is committed. The function reads the
-- file, and stores its text as short passages. The words of the passages become words of the messages that carry the file,
-- so that a search finds them with the same rights, filters and limits as the words of a message.

-- Tables -----------------------------------------------------------------------------------------------

create table public.file_texts (
  upload_id uuid not null,
  upload_channel_id uuid not null,
  passages text[] not null,
  folded text[] not null,
  words text[] not null,
  primary key (upload_id, upload_channel_id)
);
comment on table public.file_texts is
  'The text of attached files, at most 100,000 characters of each, as long as a message carries the file. Read by '
  'search_messages only. No access for clients.';
comment on column public.file_texts.passages is 'The text, in order, in passages of about 200 characters.';
comment on column public.file_texts.folded is
  'Each passage as fold_phrase returns it, without the first space: joined after a space, they are the whole text.';
comment on column public.file_texts.words is 'The first 2,000 distinct words.';
alter table public.file_texts enable row level security;
revoke all on public.file_texts from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.file_texts to service_role;

-- Jobs -------------------------------------------------------------------------------------------------

create function app.is_file_indexed(type text, size bigint) returns boolean
language sql immutable set search_path = ''
as $$ select size > 0 and app.file_kind(type) = 'text' $$;
comment on function app.is_file_indexed is 'Whether the text of a file with this media type and size is read.';

create function app.queue_file_text() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  is_first boolean;
begin
  if exists (
      select from public.file_texts t
      where t.upload_id = new.upload_id and t.upload_channel_id = new.upload_channel_id)
    or exists (select from public.jobs j where j.owner_id = new.upload_id and j.kind = 'index_file')
  then
    return null;
  end if;
  is_first := not exists (
    select from public.jobs j where j.kind = 'index_file' and j.failed_at is null and j.run_at = now());
  perform app.add_job('index_file', new.upload_id, jsonb_build_object('channel_id', new.upload_channel_id));
  -- One call for all files of a message.
  if is_first then
    begin
      perform app.call_task('file-texts');
    exception when others then
      -- A message must not fail because of the search. pg_cron calls the function within a minute.
      null;
    end;
  end if;
  return null;
end
$$;
comment on function app.queue_file_text is
  'Adds a job that reads the text of an attached file, whose owner is the upload, and calls the function that does so.';
create trigger queue_file_text after insert on public.attachments
  for each row when (app.is_file_indexed(new.type, new.size)) execute function app.queue_file_text();

create function app.delete_file_text() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.file_texts t
  where t.upload_id = old.upload_id and t.upload_channel_id = old.upload_channel_id and not exists (
    select from public.attachments a
    where a.upload_id = old.upload_id and a.upload_channel_id = old.upload_channel_id);
  return null;
end
$$;
comment on function app.delete_file_text is 'Deletes the text of a file with the last attachment of it.';
create trigger delete_file_text after delete on public.attachments
  for each row when (app.is_file_indexed(old.type, old.size)) execute function app.delete_file_text();

create function public.claim_file_text() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed public.jobs;
  file public.attachments;
begin
  loop
    select c.* into claimed from app.claim_jobs('index_file', 1) c;
    if claimed.id is null then return null; end if;
    select a.* into file from public.attachments a
    where a.upload_id = claimed.owner_id and a.upload_channel_id = (claimed.payload ->> 'channel_id')::uuid limit 1;
    -- What ended the function twice, and so reported no error, is not attempted again.
    if file.upload_id is not null and claimed.attempts <= (case when claimed.error is null then 2 else 7 end) then
      return jsonb_build_object('job', claimed.id,
        'path', file.upload_channel_id || '/' || file.upload_id || '/file');
    end if;
    perform app.finish_job(claimed.id);
  end loop;
end
$$;
comment on function public.claim_file_text is
  'For service_role: an attached file whose text is to be read, for one caller; null if there is none. Call '
  'store_file_text for it, or fail_file_text.';

create function public.store_file_text(job uuid, passages text[], is_last boolean default false) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  upload uuid;
  channel uuid;
  stored constant text[] := coalesce(passages[1:1000], '{}');
begin
  select j.owner_id, (j.payload ->> 'channel_id')::uuid into upload, channel
  from public.jobs j where j.id = job and j.kind = 'index_file';
  -- Until the end of this transaction the file can be neither deleted nor moved. Where its thread is being moved, the first
  -- statement waits for that, and the second one sees what was inserted meanwhile.
  perform from public.attachments a where a.upload_id = upload and a.upload_channel_id = channel for key share;
  perform from public.attachments a where a.upload_id = upload and a.upload_channel_id = channel for key share;
  if found then
    -- A file has no mentions: what follows `<` are words.
    insert into public.file_texts (upload_id, upload_channel_id, passages, folded, words)
    select upload, channel, stored,
      array(
        select ltrim(app.fold_phrase(replace(p.passage, '<', ' ')), ' ')
        from unnest(stored) with ordinality p (passage, ordinal) order by p.ordinal),
      array(
        select w.word from unnest(stored) with ordinality p (passage, ordinal)
        cross join lateral unnest(app.split_words(replace(p.passage, '<', ' '))) w (word)
        group by w.word order by min(p.ordinal), w.word limit 2000)
    on conflict do nothing;
    update public.message_search s set words = app.with_file_words(s.words, s.message_id)
    where s.message_id in (
      select a.message_id from public.attachments a where a.upload_id = upload and a.upload_channel_id = channel);
  end if;
  perform app.finish_job(store_file_text.job);
  if is_last and exists (
    select from public.jobs j where j.kind = 'index_file' and j.failed_at is null and j.run_at <= now())
  then
    perform app.call_task('file-texts');
  end if;
  return jsonb_build_object('job', store_file_text.job);
end
$$;
comment on function public.store_file_text is
  'For service_role: ends a job with the text of its file, and indexes it. A file without text has no passages. `is_last`: '
  'the caller reads no more, so that another call is made if files wait.';

create function public.fail_file_text(job uuid, problem text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Only a search misses it: nobody looks for the error of a job that has failed for good.
  if app.finish_job(fail_file_text.job, problem) then
    delete from public.jobs j where j.id = fail_file_text.job;
  end if;
  return jsonb_build_object('job', fail_file_text.job);
end
$$;
comment on function public.fail_file_text is
  'For service_role: plans the next attempt of a job whose file could not be fetched.';

-- Words ------------------------------------------------------------------------------------------------

comment on column public.message_search.words is
  'Words and marks of the message, without positions. Words that only the text of its files has, have the position 1.';

create function app.with_file_words(words tsvector, message uuid) returns tsvector
language sql stable set search_path = ''
as $$
  with own as materialized (
    select ts_delete(words, array(select u.lexeme from unnest(words) u where u.positions is not null)) as words)
  select own.words || coalesce((
    select string_agg('''' || w.word || ''':1', ' ')::tsvector from (
      -- Of several files each has its share.
      select t.word from public.attachments a
      join public.file_texts f on f.upload_id = a.upload_id and f.upload_channel_id = a.upload_channel_id
      cross join lateral unnest(f.words) with ordinality t (word, ordinal)
      where a.message_id = message
      group by t.word order by min(t.ordinal), t.word limit 2000) w
    where not exists (select from own, unnest(own.words) u where u.lexeme = w.word)), '')
  from own
$$;
comment on function app.with_file_words is
  'The words of a message with those of the text of its files, of which there are at most 2,000: each change of the row '
  'indexes all again.';

create or replace function app.complete_search_words() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  indexed record;
  files record;
  marks text[];
begin
  if tg_op = 'INSERT' then
    select m.id, m.rev, m.author_id, m.body, m.extras, m.thread_root, m.reply_count into indexed
    from public.messages m where m.id = new.message_id;
    new.segment := coalesce(indexed.rev >> 12, 0);
    if indexed.id is null then return new; end if;
    -- As message_marks, without what a new message cannot have: triggers mark reactions and pins.
    marks := array['=from:' || indexed.author_id];
    if indexed.thread_root is not null or indexed.reply_count > 0 then marks := marks || '=thread'::text; end if;
    if indexed.extras ? 'poll' then marks := marks || '=poll'::text; end if;
    if indexed.body ~ '[<`]|://' then marks := marks || app.text_marks(indexed.body); end if;
    select string_agg(a.name, ' ') as names, bool_or(a.type like 'image/%') as has_image into files
    from public.attachments a where a.message_id = new.message_id;
    if files.names is not null then
      marks := marks || '=file'::text || app.split_words(files.names);
      if files.has_image then marks := marks || '=image'::text; end if;
    end if;
    new.words := new.words || array_to_tsvector(marks);
    if files.names is not null then new.words := app.with_file_words(new.words, new.message_id); end if;
  elsif not new.words @@ '''=from:'':*'::tsquery then
    new.words := new.words || array_to_tsvector(
      array(select w from unnest(tsvector_to_array(old.words)) w where w like '=%')
        || coalesce(app.file_words(new.message_id), '{}'));
    if new.words @@ '''=file'''::tsquery then new.words := app.with_file_words(new.words, new.message_id); end if;
  end if;
  return new;
end
$$;

create or replace function app.update_search_vocabulary(max_segments integer default 50) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  range record;
begin
  for range in
    select s.channel_id, s.segment, s.last_at, s.words_until, c.workspace_id
    from public.search_segments s join public.channels c on c.id = s.channel_id
    where s.words_until is null or s.words_until < s.last_at
    order by s.last_at limit max_segments
  loop
    with added as materialized (
      select w.lexeme as word, least(count(*), 3)::smallint as messages
      from public.message_search f cross join lateral unnest(f.words) w
      where f.channel_id = range.channel_id and f.segment = range.segment and f.created_at <= range.last_at
        and (range.words_until is null or f.created_at > range.words_until)
        -- A few files would fill it.
        and w.positions is null and app.is_correctable(w.lexeme)
      group by w.lexeme),
    counted as (
      update public.search_vocabulary v set messages = least(v.messages + a.messages, 3)
      from added a where v.workspace_id = range.workspace_id and v.word = a.word and v.messages < 3)
    insert into public.search_vocabulary (workspace_id, word, messages, keys)
    select range.workspace_id, a.word, a.messages, app.deletion_keys(range.workspace_id, a.word)
    from added a
    where not exists (
        select from public.search_vocabulary v where v.workspace_id = range.workspace_id and v.word = a.word)
      and (select count(*) < 200000 from (
        select from public.search_vocabulary v where v.workspace_id = range.workspace_id limit 200000) v)
    on conflict do nothing;
    update public.search_segments s set words_until = range.last_at
    where s.channel_id = range.channel_id and s.segment = range.segment;
  end loop;
end
$$;
comment on function app.update_search_vocabulary is
  'Adds the words of new messages to the vocabulary, without those of files, of a bounded number of segments, the oldest '
  'first. A scheduled job, so that senders neither compute keys nor wait for each other.';

create or replace function app.remove_from_vocabulary() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  removed text[];
  workspace uuid;
begin
  if tg_op = 'DELETE' then
    removed := array(select u.lexeme from unnest(old.words) u where u.positions is null);
  else
    -- Not by comparing arrays: files have thousands of words.
    removed := array(
      select u.lexeme from unnest(old.words) u where u.positions is null
      except select u.lexeme from unnest(new.words) u where u.positions is null);
  end if;
  if removed = '{}' then return null; end if;
  workspace := (select c.workspace_id from public.channels c where c.id = old.channel_id);
  delete from public.search_vocabulary v
  where v.workspace_id = workspace and v.word in (
    select l.word from public.search_vocabulary l
    where l.workspace_id = workspace and l.word = any (removed) and l.messages < 3 for update skip locked);
  return null;
end
$$;

-- Searching --------------------------------------------------------------------------------------------

create or replace function app.has_phrases(message uuid, phrases text[], excluded text[]) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  content constant text := concat_ws(E'\n',
    app.fold_phrase((
      select concat_ws(E'\n', app.searchable_text(m.body, m.extras),
        (select string_agg(a.name, E'\n') from public.attachments a where a.message_id = m.id))
      from public.messages m where m.id = message)),
    (select string_agg(' ' || array_to_string(t.folded, ''), E'\n')
      from public.attachments a
      join public.file_texts t on t.upload_id = a.upload_id and t.upload_channel_id = a.upload_channel_id
      where a.message_id = message));
begin
  return not exists (select from unnest(phrases) p where strpos(content, p) = 0)
    and not exists (select from unnest(excluded) p where strpos(content, p) > 0);
end
$$;
comment on function app.has_phrases is
  'Whether a message with the names and texts of its files has all of these phrases, and none of the excluded ones.';

create function app.patterns_to_find(search app.search_query) returns text[]
language sql immutable set search_path = ''
as $$
  select search.phrases || array(
    select (case when w.t[1] ~ ('^' || app.unspaced_letters()) then w.t[1]
      else ' ' || w.t[1] || case when w.t[2] is null then ' ' else '' end end)
    from regexp_matches(search.named::text, '''([^'']+)''(:\*)?', 'g') w (t) limit 100)
$$;
comment on function app.patterns_to_find is
  'Parts of a text, as fold_phrase returns it, that a search finds: phrases, words and beginnings of words.';

create function app.find_passage(text_of_file public.file_texts, patterns text[]) returns text
language sql immutable set search_path = ''
as $$
  select p.passage
  from unnest(text_of_file.passages, text_of_file.folded) with ordinality p (passage, folded, ordinal)
  cross join lateral (
    select sum(char_length(q)) as size from unnest(patterns) q where strpos(' ' || p.folded, q) > 0) matched
  where matched.size > 0 order by matched.size desc, p.ordinal limit 1
$$;
comment on function app.find_passage is
  'The passage of a file that has most of these patterns, the longer ones first; null if none has any.';

create function app.matching_file(message uuid, search app.search_query, patterns text[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  best record;
  contents public.file_texts;
begin
  select a.upload_id, a.upload_channel_id, a.position, matched.by_name, matched.by_text into best
  from public.attachments a
  left join public.file_texts t on t.upload_id = a.upload_id and t.upload_channel_id = a.upload_channel_id
  cross join lateral (select ' ' || array_to_string(t.folded, '') as folded offset 0) whole
  cross join lateral (
    select array_to_tsvector(app.split_words(a.name)) @@ search.named as by_name,
      exists (select from unnest(patterns) q where strpos(whole.folded, q) > 0) as by_text offset 0) matched
  where a.message_id = message and (matched.by_name or matched.by_text)
  order by matched.by_name::integer + matched.by_text::integer desc, a.position limit 1;
  if best.upload_id is null then return null; end if;
  if best.by_text then
    select t.* into contents from public.file_texts t
    where t.upload_id = best.upload_id and t.upload_channel_id = best.upload_channel_id;
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'position', (select count(*) from public.attachments a where a.message_id = message and a.position < best.position),
    'matched', case when best.by_name then 'name' else 'text' end,
    'excerpt', case when best.by_text then app.find_passage(contents, patterns) end));
end
$$;
comment on function app.matching_file is
  'The first file of a message whose name and text, or either, have words of a search, with a passage of its text.';

create or replace function app.search_hits_as_json(hits app.search_position[], search app.search_query, me uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  patterns constant text[] := app.patterns_to_find(search);
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'message', m.value,
      'channel', jsonb_build_object('id', c.id, 'kind', c.kind, 'name', c.name),
      'file', case when m.value -> 'attachments' <> '[]' then
        app.matching_file((m.value ->> 'id')::uuid, search, patterns) end) order by m.ordinal)
    from jsonb_array_elements(app.messages_as_json(array(
      select h.message_id from unnest(hits) with ordinality h (created_at, message_id, ordinal) order by h.ordinal), me))
      with ordinality m (value, ordinal)
    join public.channels c on c.id = (m.value ->> 'channel_id')::uuid), '[]');
end
$$;
comment on function app.search_hits_as_json is
  'Messages with their channel, and the first of their files that has one of the words. Checks no rights: the caller has.';

-- Existing files ---------------------------------------------------------------------------------------

-- One each second, so that new files do not wait for them.
insert into public.jobs (kind, owner_id, payload, run_at)
select 'index_file', f.upload_id, jsonb_build_object('channel_id', f.upload_channel_id),
  now() + interval '1 second' * row_number() over (order by f.upload_id)
from (
  select distinct a.upload_id, a.upload_channel_id from public.attachments a
  where app.is_file_indexed(a.type, a.size)) f;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.claim_file_text, public.store_file_text, public.fail_file_text
  from public, anon, authenticated, service_role;
grant execute on function public.claim_file_text, public.store_file_text, public.fail_file_text to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: read file texts', '* * * * *', $$select app.call_task('file-texts')
  where exists (select from public.jobs j where j.kind = 'index_file' and j.failed_at is null and j.run_at <= now())$$);
