-- The vocabulary: the words of the messages of each channel, by which searches correct typing errors. Decision 37 gives the
-- reasons.
--
-- A vocabulary of a whole workspace can't be limited to what the caller may read: a search tries a bounded number of similar
-- words, so the words of other channels displace words that the caller may read. A search without results then reveals
-- whether a word occurs in a private channel.

-- Table ------------------------------------------------------------------------------------------------

create table public.search_vocabulary (
  channel_id uuid not null references public.channels (id) on delete cascade,
  word text not null,
  last_seq bigint not null,
  keys integer[] not null,
  primary key (channel_id, word)
) with (fillfactor = 80);
create index search_vocabulary_keys on public.search_vocabulary using gin (keys) with (fastupdate = off);
comment on table public.search_vocabulary is
  'Words of the messages of a channel, by which typing errors are corrected: the 5,000 that were used last. Read by '
  'search_messages only. No access for clients.';
comment on column public.search_vocabulary.last_seq is
  'The highest history_seq of the messages that have the word. Readers whose history starts later are not offered the word. '
  'The word is deleted with this message.';
comment on column public.search_vocabulary.keys is 'The deletion_keys of the word, each combined with the channel_key.';
alter table public.search_vocabulary enable row level security;
revoke all on public.search_vocabulary from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_vocabulary to service_role;

-- Words of messages ------------------------------------------------------------------------------------

create function app.deletion_keys(word text) returns integer[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct ('x' || left(md5(overlay(word placing '' from n for 1)), 8))::bit(32)::integer
    from generate_series(1, char_length(word) + 1) n)
$$;
comment on function app.deletion_keys is
  'Hashes of a word and of what remains of it without one of its characters. Words that differ by a character, or by two '
  'that were exchanged, have one in common (symmetric deletion).';

create function app.channel_key(channel uuid) returns integer
language sql immutable set search_path = ''
as $$ select ('x' || left(channel::text, 8))::bit(32)::integer $$;
comment on function app.channel_key is
  'A number of a channel. Combined with it (`#`), the keys of a word are different in each channel, so that the index returns '
  'no words of other channels.';

create function app.is_correctable(word text) returns boolean
language sql immutable set search_path = ''
as $$ select char_length(word) between 4 and 30 and word !~ '[0-9=]' and word !~ app.unspaced_letters() $$;
comment on function app.is_correctable is
  'Whether a word is stored in the vocabulary and corrected: neither short, nor a number, nor a pair of characters.';

create function app.update_search_vocabulary(max_segments integer default 50) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_words constant integer := 5000;
  range record;
begin
  for range in
    select s.channel_id, s.segment, s.last_at, s.words_until
    from public.search_segments s
    where s.words_until is null or s.words_until < s.last_at
    order by s.last_at limit max_segments
  loop
    with added as materialized (
      select w.lexeme as word, max(f.history_seq) as last_seq
      from public.message_search f cross join lateral unnest(f.words) w
      where f.channel_id = range.channel_id and f.segment = range.segment and f.created_at <= range.last_at
        and (range.words_until is null or f.created_at > range.words_until)
        -- A few files would fill it.
        and not 'A' = any (coalesce(w.weights, '{}')) and app.is_correctable(w.lexeme)
      group by w.lexeme
      order by max(f.history_seq) desc, w.lexeme limit max_words),
    used_again as (
      update public.search_vocabulary v set last_seq = a.last_seq
      from added a where v.channel_id = range.channel_id and v.word = a.word and v.last_seq < a.last_seq)
    insert into public.search_vocabulary (channel_id, word, last_seq, keys)
    select range.channel_id, a.word, a.last_seq,
      array(select k # app.channel_key(range.channel_id) from unnest(app.deletion_keys(a.word)) k)
    from added a
    where not exists (
      select from public.search_vocabulary v where v.channel_id = range.channel_id and v.word = a.word)
    on conflict do nothing;
    -- Deletes the words that were not used for the longest time. Which words these are depends on no reader.
    delete from public.search_vocabulary v
    where v.channel_id = range.channel_id and v.word in (
      select l.word from public.search_vocabulary l where l.channel_id = range.channel_id
      order by l.last_seq desc, l.word offset max_words);
    update public.search_segments s set words_until = range.last_at
    where s.channel_id = range.channel_id and s.segment = range.segment;
  end loop;
end
$$;
comment on function app.update_search_vocabulary is
  'Adds the words of new messages, but not those of files, to the vocabularies of their channels. It reads a bounded number '
  'of segments, the oldest first. A scheduled job calls it, so that senders neither compute keys nor wait for each other.';

create function app.remove_from_vocabulary() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  removed text[];
begin
  if tg_op = 'DELETE' then
    removed := array(select u.lexeme from unnest(old.words) u where not 'A' = any (coalesce(u.weights, '{}')));
  else
    -- Not by comparing arrays: files have thousands of words.
    removed := array(
      select u.lexeme from unnest(old.words) u where not 'A' = any (coalesce(u.weights, '{}'))
      except select u.lexeme from unnest(new.words) u where not 'A' = any (coalesce(u.weights, '{}')));
  end if;
  if removed = '{}' then return null; end if;
  delete from public.search_vocabulary v
  where v.channel_id = old.channel_id and v.word in (
    select l.word from public.search_vocabulary l
    where l.channel_id = old.channel_id and l.word = any (removed) and l.last_seq <= old.history_seq
    for update skip locked);
  return null;
end
$$;
comment on function app.remove_from_vocabulary is
  'Removes the words of deleted and edited messages that no later message has, so that no deleted word remains here. Whether '
  'an earlier message has a word must not matter, because not everybody may read that message. A word that another '
  'transaction is writing is left to it: waiting for it could end in a deadlock.';
create trigger deleted_words_are_removed after delete or update of words on public.message_search
  for each row execute function app.remove_from_vocabulary();

-- Similar words ----------------------------------------------------------------------------------------

create function app.similar_words(scopes app.search_scope[], word text, amount integer) returns text[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  searched constant integer[] := array(
    select k # app.channel_key(p.channel_id)
    from unnest(scopes) p cross join unnest(app.deletion_keys(similar_words.word)) k);
begin
  return array(
    select c.word from (
      select r.word, count(*) as channels, app.typing_distance(similar_words.word, r.word) as distance
      from (
        select v.word
        -- `offset 0` is an optimisation fence: only the index of keys can be used.
        from (select * from public.search_vocabulary f where f.keys && searched offset 0) v
        join unnest(scopes) p on p.channel_id = v.channel_id and p.history_from_seq <= v.last_seq
        where v.word <> similar_words.word
        limit 200) r
      group by r.word) c
    -- Two errors are frequent in long words only.
    where c.distance = 1 or char_length(similar_words.word) >= 8
    order by c.distance, left(c.word, 1) = left(similar_words.word, 1) desc, c.channels desc, c.word limit amount);
end
$$;
comment on function app.similar_words is
  'Words of messages of these channels, from their history starts on, that are close to a word, the closest first.';

create function app.search_alternatives(scopes app.search_scope[], words text[]) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(w.word, to_jsonb(s.similar)), '{}')
  from (select distinct w from unnest(words[1:6]) w) w (word)
  cross join lateral (select app.similar_words(scopes, w.word, 8) as similar) s
  where s.similar <> '{}'
$$;
comment on function app.search_alternatives is
  'For each of these words up to eight words of these channels that may have been meant; nothing for words without any.';

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: search vocabulary', '* * * * *', 'select app.update_search_vocabulary()');
