-- What a message can carry besides its text: a poll, a quoted or forwarded message, a voice recording. Decision 27.
--
-- `messages.extras` is an object with one property for each kind. A kind is one function, app.<kind>_extra, which checks
-- and normalises what a sender passes. Storage, JSON, broadcasts, search, deletion and redaction treat all kinds alike.
-- What readers do with it (votes, ticked tasks) is stored as reactions, under the keys `poll:<option>` and `task:<hash>`.

-- Kinds ------------------------------------------------------------------------------------------------

create function app.require_extras_shape(extras jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if extras is null then return; end if;
  if jsonb_typeof(extras) <> 'object' or octet_length(extras::text) > 16000 then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
end
$$;
comment on function app.require_extras_shape is
  'Fails with bad_extra unless the extras are an object of at most 16,000 bytes. Before any lock.';

create function app.poll_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  options text[];
  closes_at timestamptz;
begin
  if jsonb_typeof(content -> 'options') is distinct from 'array'
    or jsonb_array_length(content -> 'options') not between 2 and 20
    or jsonb_path_exists(content, '$.options[*] ? (@.type() != "string")')
    or jsonb_typeof(content -> 'multiple') is distinct from 'boolean'
    or jsonb_typeof(content -> 'anonymous') is distinct from 'boolean'
  then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end if;
  options := array(
    select btrim(o, E' \t\r\n') from jsonb_array_elements_text(content -> 'options') with ordinality e (o, ordinal)
    order by ordinal);
  if exists (select from unnest(options) o where char_length(o) not between 1 and 200 or not app.is_legible(o))
    or (select count(distinct lower(o)) from unnest(options) o) < cardinality(options)
  then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end if;
  begin
    closes_at := (content ->> 'closes_at')::timestamptz;
  exception when data_exception then
    raise exception using errcode = 'PT400', message = 'bad_poll';
  end;
  if closes_at not between now() and now() + interval '1 year' then
    raise exception using errcode = 'PT400', message = 'poll_closes_in_the_past';
  end if;
  return jsonb_build_object('options', to_jsonb(options), 'multiple', content -> 'multiple',
    'anonymous', content -> 'anonymous', 'closes_at', closes_at);
end
$$;
comment on function app.poll_extra is
  'A poll: 2 to 20 different options, whether several may be chosen, whether votes are anonymous, and when it closes, '
  'within a year, or null. The question is the text of the message.';

create function app.quote_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  quoted public.messages;
begin
  begin
    select * into quoted from public.messages m where m.id = (content ->> 'message_id')::uuid;
  exception when invalid_text_representation then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end;
  perform app.require_message((content ->> 'message_id')::uuid);
  if quoted.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif quoted.kind <> 'text' then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
  return jsonb_build_object('message_id', quoted.id);
end
$$;
comment on function app.quote_extra is
  'A quoted message, which the author may read. Only its id is stored: each reader gets the text with their own rights, '
  'and nobody after it was deleted.';

create function app.forward_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  checked constant jsonb := app.quote_extra(content, files);
  inner_forward constant jsonb := (
    select m.extras -> 'forward' from public.messages m where m.id = (checked ->> 'message_id')::uuid and m.body = '');
begin
  -- Forwarding a bare forward refers to the original, which may not be readable to the one who forwards.
  if inner_forward is null then return checked; end if;
  return app.quote_extra(inner_forward, files);
end
$$;
comment on function app.forward_extra is
  'A forwarded message, stored like a quote. Its files are not copied: who may read the original may read them.';

create function app.voice_extra(content jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if jsonb_array_length(files) <> 1
    or jsonb_typeof(content -> 'duration_ms') is distinct from 'number'
    or (content ->> 'duration_ms')::numeric not between 1 and 3600000
    or jsonb_typeof(content -> 'waveform') is distinct from 'array'
    or jsonb_array_length(content -> 'waveform') not between 1 and 128
    or jsonb_path_exists(content, '$.waveform[*] ? (@.type() != "number" || @ < 0 || @ > 100)')
  then
    raise exception using errcode = 'PT400', message = 'bad_extra';
  end if;
  return jsonb_build_object('duration_ms', round((content ->> 'duration_ms')::numeric), 'waveform', (
    select jsonb_agg(round(w::numeric) order by ordinal)
    from jsonb_array_elements_text(content -> 'waveform') with ordinality e (w, ordinal)));
end
$$;
comment on function app.voice_extra is
  'A voice recording, which is the only file of the message: its duration in ms, up to an hour, and 1 to 128 amplitudes '
  'from 0 to 100.';

create function app.check_extras(extras jsonb, files jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  checked jsonb := '{}';
  content jsonb;
  kind text;
begin
  for kind, content in select e.key, e.value from jsonb_each(extras) e loop
    if kind !~ '^[a-z]{1,16}$' or jsonb_typeof(content) <> 'object'
      or to_regprocedure(format('app.%I(jsonb, jsonb)', kind || '_extra')) is null
    then
      raise exception using errcode = 'PT400', message = 'bad_extra';
    end if;
    execute format('select app.%I($1, $2)', kind || '_extra') into content using content, files;
    checked := checked || jsonb_build_object(kind, content);
  end loop;
  return nullif(checked, '{}');
end
$$;
comment on function app.check_extras is
  'The extras of a message as they are stored; fails with bad_extra for an unknown kind, and as the function of each '
  'kind, app.<kind>_extra, does.';

create function app.searchable_text(body text, extras jsonb) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(' ', body, (
    select string_agg(o, ' ') from jsonb_array_elements_text(
      case when jsonb_typeof(extras #> '{poll,options}') = 'array' then extras #> '{poll,options}' else '[]' end) o))
$$;
comment on function app.searchable_text is 'The text of a message with the options of its poll, which search finds too.';

-- Messages ---------------------------------------------------------------------------------------------

alter table public.messages
  add column extras jsonb,
  drop constraint messages_deleted_are_empty,
  add constraint messages_deleted_are_empty
    check (deleted_at is null or (body = '' and system is null and extras is null)),
  add constraint messages_extras_object check (jsonb_typeof(extras) = 'object');
comment on column public.messages.extras is
  'What the message carries besides its text, one property for each kind; null for most.';

create function app.without_voters(reactions jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    case when r.value ->> 'emoji' like 'poll:%' then r.value || '{"people": []}' else r.value end
    order by r.ordinal), '[]')
  from jsonb_array_elements(reactions) with ordinality r (value, ordinal)
$$;
comment on function app.without_voters is 'The reactions of a message with an anonymous poll, without who voted.';

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
        'attachments', coalesce(a.attachments, '[]'), 'extras', m.extras,
        'reactions', case when m.extras #>> '{poll,anonymous}' = 'true' then app.without_voters(r.reactions)
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

drop function public.send_message(uuid, uuid, text, uuid, boolean, jsonb);
create function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]', extras jsonb default null
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
  message_json := nullif(current_setting('app.new_message', true), '')::jsonb;
  if message_json ->> 'id' is distinct from sent.id::text then
    message_json := app.messages_as_json(array[sent.id], access.profile_id) -> 0;
  end if;
  return jsonb_build_object('message', message_json, 'epoch', counters.epoch);
end
$$;
comment on function public.send_message is
  'Sends a message. The client chooses the id: repeated calls send it once. `extras`: what it carries besides its text.';

create or replace function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(edit_message.id);
  -- Before any lock. The length is checked before the text is split, which takes time in proportion to it.
  search_words constant text[] := app.split_words(app.searchable_text(
    app.require_message_body(edit_message.body,
      exists (select from public.attachments a where a.message_id = edit_message.id)
        or exists (select from public.messages m where m.id = edit_message.id and m.extras ? 'forward')),
    (select m.extras from public.messages m where m.id = edit_message.id)));
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

create or replace function public.delete_message(id uuid) returns jsonb
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
    set body = '', system = null, extras = null, deleted_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
    where m.id = before.id;
    if before.thread_root is not null then
      perform app.uncount_reply(before.thread_root, app.next_rev(before.channel_id));
      perform app.notify_reply_deleted(before);
    end if;
  end if;
  return app.message_response(before.id, access.profile_id);
end
$$;

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
    join app.my_readable_channels() r on r.channel_id = m.channel_id and r.history_from_seq <= m.base_seq
    where m.id = any (ids)), me));
end
$$;
comment on function public.messages_by_ids is
  'At most 50 messages by their ids, for quotes, forwards and pins. Those that the caller may not read are '
  'left out, as if they did not exist.';

-- Votes and tasks --------------------------------------------------------------------------------------

alter policy "readers of a message see its reactions" on public.reactions using (
  exists (
    select from public.messages m
    where m.id = reactions.message_id and (
      reactions.emoji not like 'poll:%' or m.extras #>> '{poll,anonymous}' is distinct from 'true'
      or reactions.profile_id = (select app.my_profile_id()))
  )
);
comment on policy "readers of a message see its reactions" on public.reactions is
  'The policy of messages applies to the subquery: reactions are visible exactly where their message is. Of an '
  'anonymous poll everyone sees only their own votes.';

create function app.require_reaction_key(key text, target public.messages) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  poll constant jsonb := target.extras -> 'poll';
begin
  if key is null or char_length(key) not between 1 and 64 or key ~ '[[:cntrl:][:space:]]' then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  elsif key like 'poll:%' then
    if poll is null or key !~ '^poll:(0|[1-9][0-9]?)$'
      or split_part(key, ':', 2)::integer >= jsonb_array_length(poll -> 'options')
    then
      raise exception using errcode = 'PT400', message = 'bad_emoji';
    elsif (poll ->> 'closes_at')::timestamptz <= clock_timestamp() then
      raise exception using errcode = 'PT409', message = 'poll_closed';
    end if;
  elsif key like 'task:%' and (key !~ '^task:[0-9a-f]{8}$' or target.body !~ '\[[ xX]\]') then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
end
$$;
comment on function app.require_reaction_key is
  'Fails with bad_emoji unless the key is an emoji, `poll:<option>` of a message with a poll, or `task:<hash>` of one '
  'with tasks (the hash of the task''s line, so that editing a line unticks it); with poll_closed after its end.';

create or replace function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
  key constant text := react.emoji;
  is_anonymous constant boolean := key like 'poll:%' and target.extras #>> '{poll,anonymous}' = 'true';
  removed text;
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif react."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  perform app.require_reaction_key(key, target);
  if react."on" and key like 'poll:%' and target.extras #>> '{poll,multiple}' = 'false' then
    -- Another choice replaces the first one. Each change is broadcast with a number of its own.
    for removed in
      delete from public.reactions r
      where r.message_id = message and r.profile_id = access.profile_id and r.emoji like 'poll:%' and r.emoji <> key
      returning r.emoji
    loop
      perform app.broadcast_reaction(target, removed, access.profile_id, false, is_anonymous);
    end loop;
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, key, access.profile_id) on conflict do nothing;
  else
    -- Tasks are shared: whoever unticks one removes the tick, whoever set it.
    delete from public.reactions r
    where r.message_id = message and r.emoji = key and (r.profile_id = access.profile_id or key like 'task:%');
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r
        where r.message_id = message and (r.emoji like 'task:%') = (key like 'task:%') and r.emoji not like 'poll:%')
      > (case when key like 'task:%' then 100 else 50 end)
    then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    perform app.broadcast_reaction(target, key, access.profile_id, react."on", is_anonymous);
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.react is
  'Adds the caller''s reaction, vote or tick to a message or removes it; if nothing changes, nothing is broadcast. A '
  'vote in a poll with a single choice replaces the earlier one.';

create function app.broadcast_reaction(
  message public.messages, key text, person uuid, is_on boolean, is_anonymous boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Includes whose reaction changed, so that each client can update `mine`.
  perform set_config('app.reaction', case when is_anonymous then 'anonymous'
    else jsonb_build_object('emoji', key, 'by', person, 'on', is_on)::text end, true);
  update public.messages m set rev = app.next_rev(message.channel_id) where m.id = message.id;
  perform set_config('app.reaction', '', true);
end
$$;
comment on function app.broadcast_reaction is 'Numbers and broadcasts the change of one reaction.';

create function public.close_poll(message uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif not coalesce(target.extras ? 'poll', false) then
    raise exception using errcode = 'PT400', message = 'not_a_poll';
  elsif target.author_id <> access.profile_id and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if (target.extras #>> '{poll,closes_at}')::timestamptz > clock_timestamp()
    or target.extras #>> '{poll,closes_at}' is null
  then
    perform app.redact_broadcasts(target);
    update public.messages m
    set extras = jsonb_set(m.extras, '{poll,closes_at}', to_jsonb(clock_timestamp())), broadcast_at = now(),
      rev = app.next_rev(target.channel_id)
    where m.id = message;
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.close_poll is
  'Ends a poll now. For its author and those who manage the channel; an ended one stays as it is.';

-- Broadcasts -------------------------------------------------------------------------------------------

create or replace function app.notify_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reaction constant text := nullif(current_setting('app.reaction', true), '');
  has_new_text constant boolean := tg_op = 'INSERT'
    or (old.body, old.edited_at, old.deleted_at, old.extras)
      is distinct from (new.body, new.edited_at, new.deleted_at, new.extras);
  message jsonb;
begin
  -- A broadcast contains who reacted: an anonymous vote is announced by its number only.
  if reaction = 'anonymous' or exists (
    select from public.channel_members m
    where m.channel_id = new.channel_id and m.history_from_seq > 1 and m.history_from_seq > new.base_seq
  ) then
    -- Some receiver may not read this message: all fetch the changes, and each gets what they may read.
    perform app.notify_channel(new.channel_id, 'rev', jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev));
  elsif has_new_text then
    message := app.messages_as_json(array[new.id], null) -> 0;
    perform app.notify_channel(new.channel_id, 'message', jsonb_build_object('channel_id', new.channel_id,
      'rev', new.rev, 'message', message));
  else
    perform app.notify_channel(new.channel_id, 'changed', jsonb_build_object('channel_id', new.channel_id,
        'rev', new.rev, 'message_id', new.id, 'before', old.rev)
      || case when reaction is null then jsonb_build_object('changes', jsonb_build_object(
          'last_thread_seq', new.last_thread_seq, 'reply_count', new.reply_count,
          'reply_people', to_jsonb(new.reply_people), 'last_reply_at', new.last_reply_at,
          'pinned_at', (select p.pinned_at from public.pins p where p.message_id = new.id)))
        else jsonb_build_object('reaction', app.reaction_as_json(new.id, reaction::jsonb)) end);
  end if;
  if tg_op = 'INSERT' then
    -- A new message has no reactions, so send_message returns the same JSON: building it twice would lock the channel
    -- longer.
    perform set_config('app.new_message', coalesce(message::text, ''), true);
    if exists (select from public.channels c where c.id = new.channel_id and c.kind in ('direct', 'group')) then
      perform app.notify_user(m.profile_id, 'activity', jsonb_build_object(
        'channel_id', new.channel_id, 'seq', new.seq, 'rev', new.rev, 'mention', false))
      from app.channel_readers(new.channel_id) m where m.profile_id <> new.author_id;
    end if;
  end if;
  return null;
end
$$;

-- Requests ---------------------------------------------------------------------------------------------

create or replace function app.check_oauth_client(path text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Commands that are not listed are refused, so that a new one is closed by default.
  if path like '/rpc/%' and path <> all (array[
    '/rpc/bootstrap', '/rpc/heartbeat', '/rpc/browse_channels', '/rpc/channel_people', '/rpc/who_can_read',
    '/rpc/channel_page', '/rpc/channel_changes', '/rpc/thread_page', '/rpc/thread_inbox', '/rpc/thread_states',
    '/rpc/search_messages', '/rpc/list_files', '/rpc/view_invitation', '/rpc/open_direct',
    '/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message', '/rpc/react', '/rpc/pin_message', '/rpc/typing',
    '/rpc/close_poll', '/rpc/messages_by_ids',
    '/rpc/mark_read', '/rpc/mark_unread', '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread'
  ]) and exists (
    select from auth.sessions s
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.oauth_client_id is not null
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
end
$$;

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
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread') then 'own'
    else 'other'
  end);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.check_request to anon, authenticated, service_role;
revoke execute on function public.send_message, public.messages_by_ids, public.close_poll
  from public, anon, authenticated, service_role;
grant execute on function public.send_message, public.messages_by_ids, public.close_poll to authenticated;
