-- Public channels that anyone can read on the web without signing in. Decision 55 has the reasons.

-- Channels on the web ----------------------------------------------------------------------------------

create function app.end_channel_on_web() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.web_since := null;
  new.web_after_seq := null;
  new.web_files_after_seq := null;
  return new;
end
$$;
comment on function app.end_channel_on_web is 'Removes a channel from the web.';
create trigger channels_leave_the_web before update of kind, archived_at on public.channels
  for each row when (old.web_since is not null and (new.kind <> 'public' or new.archived_at is not null))
  execute function app.end_channel_on_web();
comment on trigger channels_leave_the_web on public.channels is
  'With each command that makes a channel private or archives it. Restoring it does not put it on the web again.';

create function app.record_channel_on_web() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target constant jsonb := jsonb_build_object('channel_id', new.id, 'kind', new.kind);
begin
  if (old.web_since is null) <> (new.web_since is null) then
    perform app.record_action(new.workspace_id,
      case when new.web_since is null then 'channel.unpublished' else 'channel.published' end, target);
  end if;
  if new.web_since is not null and (old.web_files_after_seq is null) <> (new.web_files_after_seq is null) then
    perform app.record_action(new.workspace_id,
      case when new.web_files_after_seq is null then 'channel.web_files_hidden' else 'channel.web_files_shown' end, target);
  end if;
  return null;
end
$$;
comment on function app.record_channel_on_web is
  'Records who put a channel or its files on the web, and what removed them. A channel that is removed has no files there either.';
create trigger channels_on_web_are_recorded after update on public.channels
  for each row when (
    (old.web_since is null) <> (new.web_since is null)
    or (old.web_files_after_seq is null) <> (new.web_files_after_seq is null))
  execute function app.record_channel_on_web();
comment on trigger channels_on_web_are_recorded on public.channels is
  'For each column: another trigger clears the time when the channel is archived or becomes private.';

create function app.note_channel_on_web() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.on_web := exists (select from public.channels c where c.id = new.channel_id and c.web_since is not null);
  return new;
end
$$;
comment on function app.note_channel_on_web is 'Stores whether the author could see that the channel is on the web.';
create trigger channel_on_web_is_noted before insert or update of send_at on public.scheduled_messages
  for each row execute function app.note_channel_on_web();
comment on trigger channel_on_web_is_noted on public.scheduled_messages is
  'For schedule_message and change_scheduled_message: whoever changes a message confirms where it will be read.';

-- Commands ---------------------------------------------------------------------------------------------

create function public.set_web_channels(workspace uuid, "by" text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if set_web_channels."by" is null or set_web_channels."by" not in ('admins', 'channel_admins') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w set web_channels_by = set_web_channels."by" where w.id = workspace and me is not null;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_web_channels is 'Sets who may put public channels on the web, for owners and admins.';

create function public.publish_channel(
  channel uuid, "on" boolean, history boolean default false, files boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_reader(channel);
  published boolean;
  showed_files boolean;
  shows_files boolean;
  seq bigint;
begin
  perform app.lock_channels(array[channel]);
  access := app.require_reader(channel);
  select c.web_since is not null, c.web_files_after_seq is not null into published, showed_files
  from public.channels c where c.id = channel;
  shows_files := publish_channel."on" and coalesce(publish_channel.files, showed_files);
  if publish_channel."on" is null or publish_channel.history is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif access.workspace_role = 'guest' or not (app.can_manage_channel(access)
    -- They may end it also where they are no members; putting a channel on the web is up to its members.
    or not publish_channel."on" and access.workspace_role in ('owner', 'admin'))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if publish_channel."on" then
    if publish_channel.history and access.workspace_role <> 'owner' then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    elsif access.workspace_role not in ('owner', 'admin') and exists (
      select from public.workspaces w where w.id = access.workspace_id and w.web_channels_by = 'admins')
    then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    elsif access.archived_at is not null then
      raise exception using errcode = 'PT409', message = 'archived';
    elsif access.kind <> 'public' then
      raise exception using errcode = 'PT409', message = 'channel_not_public';
    end if;
  end if;
  if publish_channel."on" <> published then
    seq := app.post_system_message(channel, access.profile_id,
      case when not publish_channel."on" then '{"event": "unpublished"}'
        else jsonb_strip_nulls(jsonb_build_object('event', 'published',
          'history', nullif(publish_channel.history, false), 'files', nullif(shows_files, false))) end);
    if publish_channel.history then seq := 0; end if;
    update public.channels c
    set web_since = case when publish_channel."on" then clock_timestamp() end,
      web_after_seq = case when publish_channel."on" then seq end,
      web_files_after_seq = case when shows_files then seq end
    where c.id = channel;
  elsif shows_files <> showed_files then
    seq := app.post_system_message(channel, access.profile_id,
      jsonb_build_object('event', case when shows_files then 'web_files_shown' else 'web_files_hidden' end));
    update public.channels c set web_files_after_seq = case when shows_files then seq end where c.id = channel;
  end if;
  return app.channel_entry_as_json(access.profile_id, channel);
end
$$;
comment on function public.publish_channel is
  'Puts a public channel on the web, or removes it. Anyone can then read what is written from now on, without signing in; '
  'also what was written before, if an owner chooses history. With files, anyone can also open the files of these messages. '
  'Of a channel on the web, it shows the files of messages from now on, or hides all files; null changes nothing. '
  'For owners and admins who are members of the channel, and where the workspace allows it for admins of the channel; it is '
  'removed by those who manage it, and by owners and admins.';

-- The page ---------------------------------------------------------------------------------------------

create function app.web_body(body text, people uuid[], channels uuid[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  unnamed constant text := '00000000-0000-0000-0000-000000000000';
  -- In place of the first 24 characters of a position until all other ids are replaced.
  placeholder constant text := E'\x01';
  shown text := body;
  number integer;
  mark text;
begin
  if strpos(body, '<@') = 0 and strpos(body, '<#') = 0 then return body; end if;
  shown := replace(shown, placeholder, '');
  for number in 1 .. cardinality(people) loop
    shown := replace(shown, '<@' || people[number] || '>', '<@' || placeholder || lpad(number::text, 12, '0') || '>');
  end loop;
  for number in 1 .. cardinality(channels) loop
    shown := replace(shown, '<#' || channels[number] || '>', '<#' || placeholder || lpad(number::text, 12, '0') || '>');
  end loop;
  -- Every other id, also of groups, in any form that a parser of mentions could accept. One expression for all, with a
  -- reference or a condition, takes up to thirty times as long: anyone can request a page full of ids.
  foreach mark in array array['<@', '<@&', '<#'] loop
    shown := regexp_replace(shown, mark || '[0-9a-fA-F]{6}[0-9a-fA-F-]+>', mark || unnamed || '>', 'g');
  end loop;
  return replace(shown, placeholder, left(unnamed, 24));
end
$$;
comment on function app.web_body is
  'A text as anyone may read it: mentions of these people and links to these channels have their position in the list in '
  'place of an id, all others zero.';

create function app.web_message_ids(
  channel uuid, root uuid, above bigint, below bigint, latest boolean, max_messages integer
) returns uuid[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  -- A copy that moved here from another channel was written elsewhere.
  if root is null and latest then
    return array(
      select m.id from public.messages m
      where m.channel_id = channel and m.seq > above and m.seq < below and m.deleted_at is null and m.kind = 'text'
        and m.extras -> 'moved' is null
      order by m.seq desc limit max_messages);
  elsif root is null then
    return array(
      select m.id from public.messages m
      where m.channel_id = channel and m.seq > above and m.seq < below and m.deleted_at is null and m.kind = 'text'
        and m.extras -> 'moved' is null
      order by m.seq limit max_messages);
  elsif latest then
    return array(
      select m.id from public.messages m
      where m.channel_id = channel and m.thread_root = root and m.thread_seq > above and m.thread_seq < below
        and m.deleted_at is null
      order by m.thread_seq desc limit max_messages);
  end if;
  return array(
    select m.id from public.messages m
    where m.channel_id = channel and m.thread_root = root and m.thread_seq > above and m.thread_seq < below
      and m.deleted_at is null
    order by m.thread_seq limit max_messages);
end
$$;
comment on function app.web_message_ids is
  'Messages of a channel by seq, or replies of a thread by thread_seq, between two numbers: the latest of them first, or the '
  'earliest. Checks no rights.';

create function app.shows_files_on_web(message uuid) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  -- A message belongs to the page of its channel, a reply to the page of its thread, which begins with a message of the channel.
  return exists (
    select from public.messages m
    join public.channels c on c.id = m.channel_id and c.web_since is not null
    left join public.messages r on r.id = m.thread_root
    where m.id = message and (
      (m.seq > c.web_files_after_seq
        and app.web_message_ids(c.id, null, m.seq - 1, m.seq + 1, true, 1) = array[m.id])
      or (r.seq > c.web_files_after_seq
        and app.web_message_ids(c.id, null, r.seq - 1, r.seq + 1, true, 1) = array[r.id]
        and app.web_message_ids(c.id, r.id, m.thread_seq - 1, m.thread_seq + 1, true, 1) = array[m.id])));
end
$$;
comment on function app.shows_files_on_web is
  'Whether web_channel_page shows this message with its files. Checks no rights.';

create function app.web_messages_as_json(ids uuid[], root uuid, after_seq bigint, authors uuid[], linked uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'number', o.number, 'author', case when p.is_erased then '' else p.name end, 'at', m.created_at, 'edited', nullif(m.edited_at is not null, false),
      'body', app.web_body(m.body, authors, linked), 'replies', nullif(m.reply_count, 0),
      'files', (
        select nullif(count(*), 0) from public.attachments f
        where f.message_id = m.id and not (w.shows_files and f.upload_channel_id = m.channel_id)),
      'carries', (
        select jsonb_agg(k.kind order by k.kind) from unnest(array['forward', 'poll', 'quote']) k (kind)
        where m.extras ? k.kind),
      'reactions', (
        select jsonb_agg(jsonb_build_object('emoji', e.emoji, 'count', e.count) order by e.first)
        from (
          select r.emoji, count(*) as count, min(r.position) as first
          from public.reactions r
          -- Neither votes nor ticked tasks.
          where r.message_id = m.id and r.emoji not like 'poll:%' and r.emoji not like 'task:%'
          group by r.emoji order by min(r.position) limit 20) e)))
      -- A size that is null stays.
      || coalesce((
        select jsonb_build_object('attachments', jsonb_agg(app.attachment_as_json(f) - 'channel_id' order by f.position))
        from public.attachments f where f.message_id = m.id and w.shows_files and f.upload_channel_id = m.channel_id
        having count(*) > 0), '{}')
      order by o.number)
    from public.messages m
    join public.profiles p on p.id = m.author_id
    cross join lateral (select case when m.thread_root = root then m.thread_seq else m.seq - after_seq end) o (number)
    -- Evaluated once for each message with files, not for each file: the planner would merge the subquery without OFFSET.
    cross join lateral (
      select exists (select from public.attachments f where f.message_id = m.id) and app.shows_files_on_web(m.id)
        as shows_files
      offset 0) w
    where m.id = any (ids)
  ), '[]');
end
$$;
comment on function app.web_messages_as_json is
  'These messages as anyone may read them, ascending by their number: of a reply its thread_seq, else counted from when the '
  'channel was put on the web. No id of a person or a message; an id of a file only if anyone may read it. Checks no rights.';

create function public.web_channel_page(
  channel uuid, thread bigint default null, before bigint default null, after bigint default null
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  size constant integer := 30;
  -- Numbers are at most this, so that no sum exceeds the type.
  max_number constant bigint := 1000000000000;
  -- Without a cursor: the latest messages of the channel, the first replies of a thread.
  latest constant boolean := before is not null or (after is null and web_channel_page.thread is null);
  published record;
  root uuid;
  base bigint;
  above bigint;
  below bigint;
  ids uuid[];
  numbers bigint[];
  authors uuid[];
  linked uuid[];
begin
  select c.name, c.topic, c.web_since, c.web_after_seq, c.web_files_after_seq is not null as shows_files, w.id as workspace_id, w.name as workspace_name into published
  from public.channels c join public.workspaces w on w.id = c.workspace_id
  where c.id = channel and c.web_since is not null;
  -- The same for a channel that does not exist and for one that is not on the web.
  if not found then return null; end if;
  base := published.web_after_seq;
  if web_channel_page.thread is not null then
    above := base + least(greatest(web_channel_page.thread, 0), max_number);
    root := (app.web_message_ids(channel, null, above - 1, above + 1, true, 1))[1];
    if root is null or above = base then return null; end if;
    base := 0;
  end if;
  above := base + least(greatest(coalesce(after, 0), 0), max_number);
  below := base + least(greatest(coalesce(before, max_number), 0), max_number);
  ids := app.web_message_ids(channel, root, above, below, latest, size);
  numbers := array(
    select case when root is null then m.seq else m.thread_seq end from public.messages m
    where m.id = any (ids) order by 1);
  authors := array(
    select p.id from public.profiles p
    where p.id in (select m.author_id from public.messages m where m.id = any (ids || root)) order by p.name, p.id);
  linked := array(
    select c.id from public.channels c
    where c.workspace_id = published.workspace_id and c.web_since is not null and c.id = any (array(
      select distinct l.link[1]::uuid
      from public.messages m
      cross join lateral regexp_matches(m.body,
        '<#([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>', 'g') l (link)
      where m.id = any (ids || root) limit 100))
    order by c.name, c.id);
  return jsonb_build_object(
    'workspace', published.workspace_name, 'name', published.name, 'topic', app.web_body(published.topic, '{}', '{}'),
    'since', case when published.web_after_seq > 0 then published.web_since end, 'files', published.shows_files,
    'thread', case when root is not null then
      app.web_messages_as_json(array[root], null, published.web_after_seq, authors, linked) -> 0 end,
    'messages', app.web_messages_as_json(ids, root, base, authors, linked),
    'people', coalesce((
      select jsonb_agg(case when p.is_erased then '' else p.name end order by a.position)
      from unnest(authors) with ordinality a (id, position) join public.profiles p on p.id = a.id), '[]'),
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by l.position)
      from unnest(linked) with ordinality l (id, position) join public.channels c on c.id = l.id), '[]'),
    'has_before', cardinality(app.web_message_ids(channel, root, base, coalesce(numbers[1], below), true, 1)) > 0,
    'has_after', cardinality(app.web_message_ids(channel, root, coalesce(numbers[cardinality(numbers)], greatest(above, below - 1)),
      base + max_number, false, 1)) > 0);
end
$$;
comment on function public.web_channel_page is
  'A channel that is on the web as anyone may read it, 30 messages at most: the latest, those before or after a number, or the '
  'replies to a message. Only what was written since it was put on the web, unless it was put there with its history. Null where nothing is to be read, whatever the reason.';

-- Files ------------------------------------------------------------------------------------------------

create function app.is_web_download() returns boolean
language sql stable set search_path = ''
as $$
  select coalesce(current_setting('storage.operation', true), '') in ('storage.object.get_authenticated', 'object.get_authenticated')
    and coalesce(nullif(current_setting('request.headers', true), '')::jsonb ?| array['apikey', 'authorization'], false)
$$;
comment on function app.is_web_download is
  'Whether the storage service reads the bytes of one object, for a request with the public key in a header. Nothing is listed, '
  'signed, rendered in another size or described. An address alone opens no file, even with the key in its query: no other page '
  'can embed it, and no browser runs it as a page or script of the origin that has the sessions.';

create function app.can_read_web_file(path text, object uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
      select from public.attachments a
      where a.upload_id = app.upload_in_path(path) and a.upload_channel_id = app.channel_in_path(path)
        and (a.thumb or split_part(path, '/', 3) = 'file')
        and app.shows_files_on_web(a.message_id))
    and not exists (
      select from public.jobs j where j.owner_id = object and j.kind = 'remove_metadata' and j.failed_at is null);
end
$$;
comment on function app.can_read_web_file is
  'Whether anyone may read this object: the page of a channel on the web shows it, and its location was removed or it had none.';

create policy "anyone reads files of channels on the web" on storage.objects
  for select to anon
  using (bucket_id = 'files' and (select app.is_web_download()) and app.can_read_web_file(name, id));

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_web_channels, public.publish_channel, public.web_channel_page
  from public, anon, authenticated, service_role;
grant execute on function public.set_web_channels, public.publish_channel to authenticated;
grant execute on function public.web_channel_page, app.is_web_download, app.can_read_web_file to anon;
