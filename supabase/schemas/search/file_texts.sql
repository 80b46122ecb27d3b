-- Text inside of attached files, PDFs included, is found by search. Decision 44 gives the reasons.
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
  words_version smallint not null default 2,
  primary key (upload_id, upload_channel_id)
);
create index file_texts_to_rebuild on public.file_texts (upload_id) where words_version < 2;
comment on table public.file_texts is
  'The text of attached files, at most 100,000 characters of each, as long as a message carries the file. Read by '
  'search_messages only. No access for clients.';
comment on column public.file_texts.passages is 'The text, in order, in passages of about 200 characters.';
comment on column public.file_texts.folded is
  'Each passage as fold_phrase returns it, without the first space: joined after a space, they are the whole text.';
comment on column public.file_texts.words is 'The first 2,000 distinct words.';
comment on column public.file_texts.words_version is 'See search_segments.words_version.';
alter table public.file_texts enable row level security;
revoke all on public.file_texts from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.file_texts to service_role;

-- Jobs -------------------------------------------------------------------------------------------------

create function app.is_file_indexed(type text, size bigint) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return size > 0 and case app.file_kind(type)
    when 'text' then true
    -- The function reads a PDF as a whole, in the memory that it has.
    when 'pdf' then size <= 20 * 1024 * 1024
    else false end;
end
$$;
comment on function app.is_file_indexed is 'Whether the text of a file with this media type and size is read.';

create function app.queue_file_text() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (
      select from public.file_texts t
      where t.upload_id = new.upload_id and t.upload_channel_id = new.upload_channel_id)
    or exists (select from public.jobs j where j.owner_id = new.upload_id and j.kind = 'index_file')
  then
    return null;
  end if;
  -- An import makes its jobs due at its end, when its files are stored and the server has time.
  perform app.add_job('index_file', new.upload_id, jsonb_build_object('channel_id', new.upload_channel_id),
    now() + case when app.is_importing() then interval '1 hour' else interval '0' end);
  return null;
end
$$;
comment on function app.queue_file_text is
  'Adds a job that reads the text of an attached file, whose owner is the upload.';
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
        'path', file.upload_channel_id || '/' || file.upload_id || '/file', 'kind', app.file_kind(file.type));
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
    perform app.start_task('file-texts');
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

create function app.with_file_words(words tsvector, message uuid) returns tsvector
language sql stable set search_path = ''
as $$
  with own as materialized (
    select ts_delete(words, array(select u.lexeme from unnest(words) u where 'A' = any (u.weights))) as words)
  select own.words || coalesce((
    select string_agg('''' || w.word || ''':1A', ' ')::tsvector from (
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

-- Searching --------------------------------------------------------------------------------------------

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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.claim_file_text, public.store_file_text, public.fail_file_text
  from public, anon, authenticated, service_role;
grant execute on function public.claim_file_text, public.store_file_text, public.fail_file_text to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: read file texts', '* * * * *', $$select app.start_task('file-texts')
  where exists (select from public.jobs j where j.kind = 'index_file' and j.failed_at is null and j.run_at <= now())$$);
