-- Previews of links in messages: off unless a workspace switches them on. Decision 38 gives the reasons.
--
-- A message with a link adds a job and calls the function `link-previews` once it is committed. The function finds the
-- links in its text, fetches those that nobody has fetched within a week, and stores what it found. Previews are shown as
-- `messages.extras.previews`, so that they reach clients like any change of a message, and only those who may read it.

-- Tables -----------------------------------------------------------------------------------------------

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('previews', 'previews', false, 1048576, array['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
on conflict (id) do nothing;

create table public.link_previews (
  id uuid primary key default gen_random_uuid(),
  url text not null constraint link_previews_url_length check (octet_length(url) <= 1000),
  requested_by uuid references public.profiles (id) on delete set null,
  requested_at timestamptz not null default now(),
  fetched_at timestamptz,
  expires_at timestamptz not null default now() + interval '2 minutes',
  content jsonb constraint link_previews_content_small check (octet_length(content::text) <= 4000)
);
create index link_previews_url on public.link_previews (url, expires_at);
create index link_previews_requested_by on public.link_previews (requested_by, requested_at);
create index link_previews_expiry on public.link_previews (expires_at);
comment on table public.link_previews is
  'Metadata of pages, shared by all messages that link them. A page is fetched again after a week, as '
  'another row, so that older messages stay as they are. Their pictures are objects of the bucket `previews`, named by '
  'the id. Read by functions only. No access for clients.';
comment on column public.link_previews.requested_by is 'The author of the first message with it, whose quota it counts for.';
comment on column public.link_previews.expires_at is
  'Until then no message causes another request for this address: two minutes while it is being fetched, an hour if '
  'there is no preview, else a week.';
comment on column public.link_previews.content is
  'Title, description, name of the site, and the size of the picture if there is one; null: there is no preview (yet).';
alter table public.link_previews enable row level security;
revoke all on public.link_previews from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.link_previews to service_role;

create table public.message_previews (
  message_id uuid not null references public.messages (id) on delete cascade,
  preview_id uuid not null references public.link_previews (id) on delete cascade,
  position smallint not null constraint message_previews_at_most_three check (position between 1 and 3),
  removed boolean not null default false,
  primary key (message_id, preview_id)
);
create index message_previews_preview on public.message_previews (preview_id);
comment on table public.message_previews is
  'The links of a message that have a preview, or wait for one, in the order of its text. Read by functions only. No '
  'access for clients.';
comment on column public.message_previews.removed is 'Somebody has removed it from this message.';
alter table public.message_previews enable row level security;
revoke all on public.message_previews from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_previews to service_role;

insert into public.settings (key, value) values ('link_previews_per_hour', '60');

-- Jobs -------------------------------------------------------------------------------------------------

create function app.fetches_link_previews(channel uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.channels c join public.workspaces w on w.id = c.workspace_id
    where c.id = channel and w.link_previews);
end
$$;
comment on function app.fetches_link_previews is 'Whether the workspace of a channel has previews of links.';

create function app.queue_link_previews(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.add_job('link_preview', message.id, '{}');
end
$$;
comment on function app.queue_link_previews is
  'Adds a job for the links of a text, whose owner is the message.';

create function app.change_link_previews() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_importing() then return null; end if;
  -- The job of the earlier text. Deleted under the lock of the message, which begin_link_previews takes first.
  delete from public.jobs j where j.owner_id = new.id and j.kind = 'link_preview';
  if new.deleted_at is null then
    -- Switched off, a link that is taken out of a text still loses its preview.
    if app.fetches_link_previews(new.channel_id) or new.extras ? 'previews' then perform app.queue_link_previews(new); end if;
  elsif new.extras ? 'moved_to' then
    update public.message_previews p set message_id = (new.extras #>> '{moved_to,message_id}')::uuid
    where p.message_id = new.id;
  else
    delete from public.message_previews p where p.message_id = new.id;
  end if;
  return null;
end
$$;
comment on function app.change_link_previews is
  'Queues the links of a changed text. What belongs to a deleted message is deleted; what belongs to one that was moved goes '
  'with it.';
create trigger change_link_previews after update of body on public.messages
  for each row when (old.kind = 'text' and old.body <> new.body and (old.body ~ '://|www\.' or new.body ~ '://|www\.'))
  execute function app.change_link_previews();

create function app.show_link_previews(message uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  target constant public.messages := app.lock_message(message);
  shown jsonb;
  changed jsonb;
begin
  if target.id is null or target.deleted_at is not null then return; end if;
  perform app.lock_channels(array[target.channel_id]);
  select jsonb_agg(jsonb_build_object('id', p.id, 'url', p.url) || p.content order by s.position) into shown
  from public.message_previews s join public.link_previews p on p.id = s.preview_id
  where s.message_id = message and not s.removed and p.content is not null;
  changed := coalesce(target.extras, '{}') - 'previews';
  if shown is not null then changed := changed || jsonb_build_object('previews', shown); end if;
  changed := nullif(changed, '{}');
  if changed is not distinct from target.extras then return; end if;
  perform app.redact_broadcasts(target);
  update public.messages m set extras = changed, broadcast_at = now(), rev = app.next_rev(target.channel_id)
  where m.id = message;
end
$$;
comment on function app.show_link_previews is
  'Sets the previews that a message carries; nothing is broadcast if they are the same.';

create function public.claim_link_previews(max_jobs integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_messages_of_person constant integer := 2;
  candidates constant uuid[] := array(
    select n.id from (
      select j.id, j.run_at <= now() as due, row_number() over (
        -- Those that are being fetched come first, and count.
        partition by m.author_id order by j.run_at <= now(), j.run_at, j.id) as number
      from public.jobs j left join public.messages m on m.id = j.owner_id
      where j.kind = 'link_preview' and j.failed_at is null and (j.attempts > 0 or j.run_at <= now())) n
    where n.due and n.number <= max_messages_of_person);
  claimed public.jobs;
  body text;
  claims jsonb := '[]';
begin
  for claimed in
    select c.* from app.claim_jobs('link_preview', least(max_jobs, 100), candidates := candidates) c
  loop
    select m.body into body from public.messages m where m.id = claimed.owner_id and m.deleted_at is null;
    -- What ended the function twice is not attempted again.
    if body is null or claimed.attempts > 2 then
      perform app.finish_job(claimed.id);
    else
      claims := claims || jsonb_build_object('job', claimed.id, 'body', body);
    end if;
  end loop;
  return claims;
end
$$;
comment on function public.claim_link_previews is
  'For service_role: texts whose links wait for their previews, each for one caller, and two of one author at once. Call '
  'begin_link_previews for each.';

create function public.begin_link_previews(job uuid, urls text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  target public.messages := app.lock_message((select j.owner_id from public.jobs j where j.id = job));
  chosen constant text[] := urls[1:3];
  left_over integer;
  preview uuid;
  added uuid[] := '{}';
  missing jsonb;
begin
  -- Editing and deleting a message delete its job.
  if target.id is null or not exists (select from public.jobs j where j.id = job and j.kind = 'link_preview') then
    return '[]';
  end if;
  delete from public.message_previews s using public.link_previews p
  where s.message_id = target.id and p.id = s.preview_id and p.url <> all (chosen);
  update public.message_previews s set position = array_position(chosen, p.url)
  from public.link_previews p where s.message_id = target.id and p.id = s.preview_id;
  if app.fetches_link_previews(target.channel_id) then
    left_over := (select (s.value #>> '{}')::integer from public.settings s where s.key = 'link_previews_per_hour')
      - (select count(*) from public.link_previews p
        where p.requested_by = target.author_id and p.requested_at > now() - interval '1 hour');
    for ordinal in 1 .. coalesce(cardinality(chosen), 0) loop
      continue when exists (
        select from public.message_previews s join public.link_previews p on p.id = s.preview_id
        where s.message_id = target.id and p.url = chosen[ordinal]);
      select p.id into preview from public.link_previews p
      where p.url = chosen[ordinal] and p.expires_at > now() order by p.expires_at desc limit 1;
      if preview is null then
        -- Without the setting there is no limit.
        continue when left_over <= 0;
        left_over := left_over - 1;
        insert into public.link_previews (url, requested_by) values (chosen[ordinal], target.author_id)
        returning id into preview;
        added := added || preview;
      end if;
      insert into public.message_previews (message_id, preview_id, position) values (target.id, preview, ordinal);
    end loop;
  end if;
  -- New ones, and those whose caller has not returned.
  with pending as (
    update public.link_previews p set expires_at = now() + interval '2 minutes'
    from public.message_previews s
    where s.message_id = target.id and p.id = s.preview_id and p.fetched_at is null
      and (p.id = any (added) or p.expires_at <= now())
    returning p.id, p.url, s.position
  )
  select jsonb_agg(jsonb_build_object('id', p.id, 'url', p.url) order by p.position) into missing from pending p;
  perform app.show_link_previews(target.id);
  return coalesce(missing, '[]');
end
$$;
comment on function public.begin_link_previews is
  'For service_role: sets the links of a message, three at most, and returns those to fetch: what was fetched before is '
  'shown at once. One person causes 60 requests an hour (the setting link_previews_per_hour).';

create function public.store_link_preview(id uuid, preview jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  found_content constant jsonb := case when jsonb_typeof(preview) = 'object' then jsonb_strip_nulls(jsonb_build_object(
    'title', left(preview ->> 'title', 200), 'description', left(preview ->> 'description', 300),
    'site', left(preview ->> 'site', 80), 'picture', nullif(preview -> 'picture', 'null'))) end;
  shown uuid;
begin
  update public.link_previews p
  set content = found_content, fetched_at = now(),
    expires_at = now() + case when found_content is null then interval '1 hour' else interval '7 days' end
  where p.id = store_link_preview.id and p.fetched_at is null;
  if found and found_content is not null then
    for shown in
      select s.message_id from public.message_previews s
      where s.preview_id = store_link_preview.id order by s.message_id limit 100
    loop
      perform app.show_link_previews(shown);
    end loop;
  end if;
  return jsonb_build_object('id', store_link_preview.id);
end
$$;
comment on function public.store_link_preview is
  'For service_role: stores what was found at an address, or null, and shows it in the messages that wait for it, 100 at '
  'most. Its picture has been stored before.';

create function public.finish_link_previews(job uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.jobs j where j.id = job and j.kind = 'link_preview';
  return jsonb_build_object('job', job);
end
$$;
comment on function public.finish_link_previews is 'For service_role: ends a job.';

create function public.remove_link_preview(message uuid, preview uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
begin
  if target.author_id <> access.profile_id and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.message_previews s set removed = true
  where s.message_id = message and s.preview_id = preview and not s.removed;
  if found then perform app.show_link_previews(message); end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.remove_link_preview is
  'Removes a preview from a message, for its author and those who manage the channel. It does not come back when the '
  'message is edited.';

-- Pictures ---------------------------------------------------------------------------------------------

create function app.can_read_preview(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' and exists (
    select from public.message_previews s
    join public.messages m on m.id = s.message_id and m.deleted_at is null
    join app.my_readable_channels() r on r.channel_id = m.channel_id and r.history_from_seq <= m.history_seq
    where s.preview_id = path::uuid and not s.removed);
end
$$;
comment on function app.can_read_preview is 'Whether the caller may read a message that carries this preview.';

create policy "readers of a message see the pictures of its previews" on storage.objects
  for select to authenticated
  using (bucket_id = 'previews' and (select app.is_permitted_file_operation()) and app.can_read_preview(name));

create function app.delete_link_previews() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  with deleted as (
    delete from public.link_previews p
    where p.id in (
      select e.id from public.link_previews e
      where e.expires_at < now() - interval '1 day'
        and not exists (select from public.message_previews s where s.preview_id = e.id)
      order by e.expires_at limit 10000)
    returning p.id, p.fetched_at, p.content
  )
  insert into public.file_deletion_queue (bucket_id, name)
  -- One that was not finished may have stored its picture.
  select 'previews', d.id::text from deleted d where d.fetched_at is null or d.content ? 'picture'
  on conflict do nothing;
end
$$;
comment on function app.delete_link_previews is
  'Deletes previews that have expired and that no message carries, with their pictures. Every hour.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.claim_link_previews, public.begin_link_previews, public.store_link_preview,
  public.finish_link_previews, public.remove_link_preview from public, anon, authenticated, service_role;
grant execute on function app.can_read_preview, public.remove_link_preview to authenticated;
grant execute on function public.claim_link_previews, public.begin_link_previews, public.store_link_preview,
  public.finish_link_previews to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: fetch link previews', '* * * * *', $$select app.start_task('link-previews')
  where exists (select from public.jobs j where j.kind = 'link_preview' and j.failed_at is null and j.run_at <= now())$$);
select cron.schedule('linnet: delete link previews', '27 * * * *', 'select app.delete_link_previews()');
