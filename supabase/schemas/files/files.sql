-- Files: attachments of messages, avatars, who may access the objects, and the queue of objects to delete.
--
-- Objects are in the bucket `files` at `<channel>/<upload>/file` (a thumbnail at `…/thumb`), avatars in the bucket
-- `avatars` at `<profile>/<name>`. A file is read through a readable message that carries it, never by its path alone.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('files', 'files', false, 524288000, null),
  ('avatars', 'avatars', false, 262144, array['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
on conflict (id) do nothing;

-- Names of files ---------------------------------------------------------------------------------------

create function app.is_legible_file_name(name text) returns boolean
language sql immutable set search_path = ''
as $$
  select char_length(name) between 1 and 255 and name !~ '[[:cntrl:]/\\\u0080-\u009F\u2028-\u202E\u2066-\u2069]'
    and app.is_visible(name)
$$;
comment on function app.is_legible_file_name is
  'Whether a text is the name of one file that can be recognised by sight: no character separates folders or lines, overrides '
  'the direction of the text after it, which would show another extension, and at least one is visible.';

create function app.clean_file_name(name text) returns text
language sql immutable set search_path = ''
as $$
  select case when app.is_legible_file_name(c.cleaned) then c.cleaned else 'file' end
  from (select regexp_replace(name, '[[:cntrl:]/\\\u0080-\u009F\u2028-\u202E\u2066-\u2069]+', '', 'g') as cleaned) c
$$;
comment on function app.clean_file_name is 'The nearest text for which is_legible_file_name is true; `file` if nothing is visible.';

-- Tables -----------------------------------------------------------------------------------------------

create table public.attachments (
  message_id uuid not null
    constraint attachments_message_id_fkey
    references public.messages (id) on delete cascade deferrable initially deferred,
  upload_id uuid not null,
  upload_channel_id uuid not null,
  position smallint not null constraint attachments_at_most_ten check (position between 0 and 9),
  name text not null
    constraint attachments_name_length check (char_length(name) between 1 and 255)
    constraint attachments_name_legible check (app.is_legible_file_name(name)),
  type text not null
    constraint attachments_type_length check (char_length(type) between 1 and 255)
    constraint attachments_type_legible check (app.is_legible(type)),
  size bigint not null constraint attachments_size_range check (size between 0 and 524288000),
  width integer constraint attachments_width_range check (width between 1 and 65535),
  height integer constraint attachments_height_range check (height between 1 and 65535),
  thumb boolean not null default false,
  primary key (message_id, upload_id),
  constraint attachments_position_once unique (message_id, position)
);
create index attachments_upload on public.attachments (upload_id);
comment on table public.attachments is 'The files of messages, with the names that people see.';
comment on column public.attachments.upload_channel_id is
  'The first folder of the path, not a foreign key: that channel may be deleted while a message of another one carries '
  'the file.';
comment on constraint attachments_message_id_fkey on public.attachments is
  'Deferred: attachments are inserted before their message, so that its broadcast contains them.';
alter table public.attachments enable row level security;
create policy "readers of a message see its files" on public.attachments
  for select to authenticated using (exists (select from public.messages m where m.id = attachments.message_id));
comment on policy "readers of a message see its files" on public.attachments is
  'The policy of messages applies to the subquery.';
revoke all on public.attachments from public, anon, authenticated, service_role;
grant select on public.attachments to authenticated;
grant select, insert, update, delete on public.attachments to service_role;

create table public.file_deletion_queue (
  bucket_id text not null,
  name text not null,
  queued_at timestamptz not null default now(),
  primary key (bucket_id, name)
);
create index file_deletion_queue_age on public.file_deletion_queue (queued_at);
comment on table public.file_deletion_queue is
  'Objects that nothing references any more. SQL may not delete objects, so the function delete-files deletes them '
  'through the storage API. No access for clients.';
alter table public.file_deletion_queue enable row level security;
revoke all on public.file_deletion_queue from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.file_deletion_queue to service_role;

-- Access to objects ------------------------------------------------------------------------------------

create function app.upload_in_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select substring(path from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/(?:file|thumb)$')::uuid
$$;
comment on function app.upload_in_path is 'The upload of a path in `files`; null for paths of another form.';

create function app.channel_in_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select case when app.upload_in_path(path) is not null then split_part(path, '/', 1)::uuid end
$$;
comment on function app.channel_in_path is 'The channel of a path in `files`; null for paths of another form.';

create function app.is_permitted_file_operation() returns boolean
language sql stable set search_path = ''
as $$
  select coalesce(current_setting('storage.operation', true), '') !~ '(sign|list|copy|move)'
$$;
comment on function app.is_permitted_file_operation is
  'False while a URL is being signed, which would outlive the membership, or objects are listed, copied or moved. The '
  'app does none of these: a copy would need no upload, belong to whoever made it and outlive the message.';

create function app.can_upload(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  access app.channel_access;
begin
  if app.upload_in_path(path) is null then return false; end if;
  access := app.channel_access_of(app.channel_in_path(path));
  return coalesce(access.member and access.archived_at is null, false)
    -- An upload to an id that a message already carries would change an attachment that others have seen.
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(path));
end
$$;
comment on function app.can_upload is 'Whether the caller may store an object at this path: membership of its channel.';

create function app.is_scheduled_file(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.scheduled_messages s
    where s.channel_id = app.channel_in_path(path)
      and s.files @> jsonb_build_array(jsonb_build_object('id', app.upload_in_path(path))));
end
$$;
comment on function app.is_scheduled_file is
  'Whether a scheduled message has the file or thumbnail at this path: it is neither swept nor deleted by its author.';

create function app.owns_unattached_upload(path text, owner text, made_at timestamptz) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return owner = auth.uid()::text
    and (made_at > now() - interval '1 day' or app.is_scheduled_file(path))
    and (app.channel_access_of(app.channel_in_path(path))).member
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(path))
    and not exists (select from public.file_deletion_queue r where r.bucket_id = 'files' and r.name = path);
end
$$;
comment on function app.owns_unattached_upload is
  'Whether this is the caller''s own upload that no message carries or carried: of the last day, or of a scheduled message.';

create function app.can_read_file(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.attachments a
    join public.messages m on m.id = a.message_id and m.deleted_at is null
    where a.upload_id = app.upload_in_path(path)
      and a.upload_channel_id = app.channel_in_path(path)
      and (app.channel_access_of(m.channel_id)).history_from_seq <= m.history_seq
  );
end
$$;
comment on function app.can_read_file is 'Whether the caller may read a message that carries this file.';

create function app.can_read_avatar(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  person constant uuid := case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then split_part(path, '/', 1)::uuid end;
  me constant uuid := app.my_profile_id();
begin
  return person is not null and me is not null and (person = me
    or exists (
      select from public.workspace_members mine
      join public.workspace_members other on other.workspace_id = mine.workspace_id and other.profile_id = person
      where mine.profile_id = me and mine.role <> 'guest'
        and mine.state = 'active' and (mine.access_ends_at is null or mine.access_ends_at > now()))
    or exists (
      select from public.workspace_members w
      join public.channel_members mine on mine.workspace_id = w.workspace_id and mine.profile_id = me
      join public.channel_members other on other.channel_id = mine.channel_id and other.profile_id = person
      where w.profile_id = me and w.role = 'guest' and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
        and (mine.expires_at is null or mine.expires_at > now())));
end
$$;
comment on function app.can_read_avatar is
  'Whether the caller may see the person of this path: one of app.my_visible_profile_ids(). Looks the person up by key in each '
  'of the caller''s workspaces, and for a guest in each of the caller''s channels. The set would have all members.';

-- No comments on these policies: on hosted projects the table belongs to another role, which forbids them.
create policy "members upload to their channels" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'files' and (select app.is_permitted_file_operation()) and app.can_upload(name));
create policy "readers of a message read its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'files' and (select app.is_permitted_file_operation())
    and (app.can_read_file(name) or app.owns_unattached_upload(name, owner_id, created_at))
  );
create policy "people delete their unattached uploads" on storage.objects
  for delete to authenticated
  using (
    bucket_id = 'files' and (select app.is_permitted_file_operation())
    and app.owns_unattached_upload(name, owner_id, created_at) and not app.is_scheduled_file(name)
  );
create policy "fellow members see avatars" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.can_read_avatar(name)
  );
create policy "people upload their own avatar" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and (storage.foldername(name))[1] = (select app.my_active_profile_id())::text
    and cardinality(storage.foldername(name)) = 1
  );
create policy "people replace their own avatar" on storage.objects
  for update to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and (storage.foldername(name))[1] = (select app.my_active_profile_id())::text
  )
  with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select app.my_active_profile_id())::text
    and cardinality(storage.foldername(name)) = 1
  );
create policy "people delete their own avatar" on storage.objects
  for delete to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and (storage.foldername(name))[1] = (select app.my_active_profile_id())::text
  );
create policy "applications read files with a scope" on storage.objects
  as restrictive for select to authenticated using (
    (bucket_id = 'avatars' and (select app.has_scope('channels:read')))
    or (bucket_id <> 'avatars' and (select app.has_scope('messages:read'))));
create policy "applications upload files with a scope" on storage.objects
  as restrictive for insert to authenticated with check (
    (bucket_id = 'files' and (select app.has_scope('messages:write'))) or (select app.is_first_party_session()));
create policy "applications delete files with a scope" on storage.objects
  as restrictive for delete to authenticated using (
    (bucket_id = 'files' and (select app.has_scope('messages:write'))) or (select app.is_first_party_session()));
create policy "applications replace no files" on storage.objects
  as restrictive for update to authenticated using ((select app.is_first_party_session()));

-- Attaching --------------------------------------------------------------------------------------------

create function app.attachment_as_json(file public.attachments) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', file.upload_id, 'channel_id', file.upload_channel_id, 'name', file.name,
    'type', file.type, 'size', file.size, 'width', file.width, 'height', file.height, 'thumb', file.thumb)
$$;
comment on function app.attachment_as_json is 'An attachment as messages and lists show it.';

create function app.file_kinds() returns text[]
language sql immutable set search_path = ''
as $$ select array['picture', 'video', 'audio', 'pdf', 'text', 'other'] $$;
comment on function app.file_kinds is 'Kinds of files, as in wire/fileKinds.ts.';

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
comment on function app.file_kind is
  'The kind of a file with this media type, by the table of wire/fileKinds.ts; a test compares both.';

create function app.has_thumbnail(path text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from storage.objects o
    where o.bucket_id = 'files' and o.name = path and o.owner_id = auth.uid()::text
      and (o.metadata ->> 'size')::bigint <= 2097152 and app.file_kind(o.metadata ->> 'mimetype') = 'picture')
$$;
comment on function app.has_thumbnail is
  'Whether the caller has uploaded an image of at most 2 MiB at this path. Readers load thumbnails into memory as they '
  'scroll, so the sender''s word is not enough. Nobody can change the object once a message carries its upload.';

create function app.file_path(channel uuid, file jsonb, part text default 'file') returns text
language sql immutable set search_path = ''
as $$ select channel || '/' || (file ->> 'id') || '/' || part $$;
comment on function app.file_path is 'The name of the object of a file, as require_files returns it, or of its thumbnail.';

create function app.require_files(channel uuid, requested jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  file jsonb;
  metadata jsonb;
  path text;
  checked jsonb := '[]';
begin
  for file in select f from jsonb_array_elements(requested) f loop
    path := channel || '/' || lower(file ->> 'id') || '/file';
    if app.upload_in_path(path) is null
      or not coalesce(app.is_legible_file_name(file ->> 'name'), false)
      or coalesce((file ->> 'width')::numeric, 1) not between 1 and 65535
      or coalesce((file ->> 'height')::numeric, 1) not between 1 and 65535
      or checked @> jsonb_build_array(jsonb_build_object('id', app.upload_in_path(path)))
    then
      raise exception using errcode = 'PT400', message = 'bad_attachment';
    end if;
    select o.metadata into metadata from storage.objects o
    where o.bucket_id = 'files' and o.name = path and o.owner_id = auth.uid()::text
      and o.created_at > now() - interval '1 day'
      and not exists (select from public.file_deletion_queue r where r.bucket_id = 'files' and r.name = path);
    if not found then
      raise exception using errcode = 'PT409', message = 'attachments_missing';
    end if;
    checked := checked || jsonb_build_object('id', app.upload_in_path(path), 'name', file ->> 'name',
      'type', coalesce(metadata ->> 'mimetype', 'application/octet-stream'),
      'size', coalesce((metadata ->> 'size')::bigint, 0),
      'width', (file ->> 'width')::integer, 'height', (file ->> 'height')::integer,
      'thumb', coalesce((file ->> 'thumb')::boolean, false) and app.has_thumbnail(regexp_replace(path, 'file$', 'thumb')));
  end loop;
  return checked;
end
$$;
comment on function app.require_files is
  'Files of a message that is sent or scheduled, as attachment_as_json returns them: the caller''s own recent uploads in '
  'this channel; size and type are those that storage recorded.';

create function app.insert_attachments(message uuid, channel uuid, checked jsonb) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size, width, height, thumb)
  select message, f.id, channel, e.position - 1, f.name, f.type, f.size, f.width, f.height, f.thumb
  from jsonb_array_elements(checked) with ordinality e (file, position)
  cross join lateral jsonb_to_record(e.file) as
    f (id uuid, name text, type text, size bigint, width integer, height integer, thumb boolean)
$$;
comment on function app.insert_attachments is 'Attaches files that require_files has returned to a message.';

-- Deleting ---------------------------------------------------------------------------------------------

create function app.queue_replaced_avatar() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.file_deletion_queue (bucket_id, name)
  values ('avatars', to_jsonb(old) ->> coalesce(tg_argv[0], 'avatar')) on conflict do nothing;
  return null;
end
$$;
comment on function app.queue_replaced_avatar is
  'Queues the object of an avatar that was replaced or removed, in the same transaction, so that no client has to '
  'delete it. Its argument is the column with the path, `avatar` by default.';
create trigger replaced_avatars_are_queued after update on public.profiles
  for each row when (old.avatar is not null and new.avatar is distinct from old.avatar)
  execute function app.queue_replaced_avatar();
comment on trigger replaced_avatars_are_queued on public.profiles is
  'For every column: deleting an account removes the avatar without naming that column.';
create trigger replaced_icons_are_queued after update on public.workspaces
  for each row when (old.icon is not null and new.icon is distinct from old.icon)
  execute function app.queue_replaced_avatar('icon');
comment on trigger replaced_icons_are_queued on public.workspaces is 'As for avatars of people.';
create trigger icons_end_with_workspaces after delete on public.workspaces
  for each row when (old.icon is not null) execute function app.queue_replaced_avatar('icon');
comment on trigger icons_end_with_workspaces on public.workspaces is 'Uploads without a use are found by the hourly job.';

create function app.request_file_deletion() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Files of messages are deleted while their channel is locked, so commands have called the function before.
  if exists (select from added a where a.bucket_id <> 'files') then perform app.try_start_task('delete-files'); end if;
  return null;
end
$$;
comment on function app.request_file_deletion is
  'Calls the function delete-files as soon as an avatar, an icon, an emoji or a preview is queued.';
create trigger request_file_deletion after insert on public.file_deletion_queue
  referencing new table as added
  for each statement execute function app.request_file_deletion();

create function public.list_files_to_delete(max_files integer default 1000) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A message may have been sent with the file while the only other one was deleted: neither transaction saw the other.
  delete from public.file_deletion_queue r
  using public.attachments a
  where r.bucket_id = 'files' and a.upload_id = app.upload_in_path(r.name)
    and a.upload_channel_id = app.channel_in_path(r.name);
  -- An avatar may have been set again after it was replaced.
  delete from public.file_deletion_queue r
  using public.profiles p
  where r.bucket_id = 'avatars' and p.avatar = r.name;
  -- An import that was repeated after its undo has created the emoji again.
  delete from public.file_deletion_queue r
  using public.custom_emoji e
  where r.bucket_id = 'avatars' and r.name = e.workspace_id || '/' || e.id;
  return coalesce((
    select jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name))
    from (
      select r.bucket_id, r.name from public.file_deletion_queue r order by r.queued_at limit max_files
    ) f
  ), '[]');
end
$$;
comment on function public.list_files_to_delete is
  'For service_role: the objects to delete through the storage API now; those that a message or profile references '
  'again leave the queue. Call confirm_files_deleted afterwards.';

create function public.confirm_files_deleted(bucket text, names text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.file_deletion_queue r where r.bucket_id = bucket and r.name = any (names);
  return jsonb_build_object('bucket', bucket);
end
$$;
comment on function public.confirm_files_deleted is 'For service_role: removes deleted objects from the queue.';

create function app.queue_unreferenced_objects(bucket text, max_objects integer default 10000) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  cursor_key constant text := 'sweep_cursor_' || bucket;
  after_name text := coalesce((select s.value #>> '{}' from public.settings s where s.key = cursor_key), '');
  last_name text;
begin
  with examined as (
    select o.name, o.created_at from storage.objects o
    where o.bucket_id = bucket and o.name collate "C" > after_name collate "C"
    order by o.name collate "C" limit max_objects
  ), queued as (
    insert into public.file_deletion_queue (bucket_id, name)
    select bucket, l.name from examined l
    where l.created_at < now() - interval '1 day 1 hour'
      and not exists (select from public.attachments a
        where bucket = 'files' and a.upload_id = app.upload_in_path(l.name))
      and not (bucket = 'files' and app.is_scheduled_file(l.name))
      and not exists (select from public.profiles p
        where bucket = 'avatars' and p.id::text = split_part(l.name, '/', 1) and p.avatar = l.name)
      and not exists (select from public.workspaces w where bucket = 'avatars' and w.icon = l.name)
      and not exists (select from public.custom_emoji e
        where bucket = 'avatars' and e.id::text = split_part(l.name, '/', 2)
          and e.workspace_id = app.workspace_in_emoji_path(l.name))
    on conflict do nothing
  )
  select max(l.name collate "C") into last_name from examined l having count(*) = max_objects;
  insert into public.settings (key, value) values (cursor_key, to_jsonb(coalesce(last_name, '')))
  on conflict (key) do update set value = excluded.value where settings.key = excluded.key;
end
$$;
comment on function app.queue_unreferenced_objects is
  'Queues objects of a bucket that nothing references after a day. Examines a limited number per call, starting where '
  'the last call ended, so that its cost does not grow with the number of objects; after the last object it starts '
  'again.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_files_to_delete, public.confirm_files_deleted
  from public, anon, authenticated, service_role;
-- A check runs with the rights of the role that writes the row.
grant execute on function app.is_legible_file_name to service_role;
grant execute on function app.is_permitted_file_operation, app.can_upload, app.is_scheduled_file,
  app.owns_unattached_upload, app.can_read_file, app.can_read_avatar to authenticated;
grant execute on function public.list_files_to_delete, public.confirm_files_deleted to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete files', '*/5 * * * *',
  $$select app.start_task('delete-files') where exists (select from public.file_deletion_queue)$$);
