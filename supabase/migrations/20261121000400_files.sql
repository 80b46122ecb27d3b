-- Files: what a message carries, and who may touch the bytes. The bytes are in the bucket `files` at
-- `<channel>/<upload>/file` (a thumbnail at `…/thumb`), pictures of people in `avatars` at `<profile>/<name>`.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('files', 'files', false, 524288000, null),
  ('avatars', 'avatars', false, 2097152, array['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
on conflict (id) do nothing;

-- Tables ------------------------------------------------------------------------------------------------

create table public.attachments (
  message_id uuid not null
    constraint attachments_message_id_fkey
    references public.messages (id) on delete cascade deferrable initially deferred,
  upload_id uuid not null,
  upload_channel_id uuid not null references public.channels (id) on delete cascade,
  position smallint not null constraint attachments_at_most_ten check (position between 0 and 9),
  name text not null
    constraint attachments_name_length check (char_length(name) between 1 and 255)
    constraint attachments_name_plain check (name !~ '[[:cntrl:]/\\]'),
  type text not null constraint attachments_type_length check (char_length(type) between 1 and 255),
  size bigint not null constraint attachments_size_range check (size between 0 and 524288000),
  width integer constraint attachments_width_range check (width between 1 and 65535),
  height integer constraint attachments_height_range check (height between 1 and 65535),
  thumb boolean not null default false,
  primary key (message_id, upload_id),
  constraint attachments_position_once unique (message_id, position)
);
create index attachments_upload on public.attachments (upload_id);
create index attachments_upload_channel on public.attachments (upload_channel_id);
comment on table public.attachments is
  'The files of a message, by the name shown. A file is read through a readable message named here, never by path.';
comment on constraint attachments_message_id_fkey on public.attachments is
  'Deferred: files are written before their message, so that the message is announced with them.';

create table public.file_removals (
  bucket_id text not null,
  name text not null,
  queued_at timestamptz not null default now(),
  primary key (bucket_id, name)
);
comment on table public.file_removals is
  'Bytes that nothing names any more. SQL may not delete from storage, so a worker empties what is listed here.';

-- Helpers -----------------------------------------------------------------------------------------------

create function app.plain_file_operation() returns boolean
language sql stable set search_path = ''
as $$
  select coalesce(current_setting('storage.operation', true), '') !~ '(sign|list)'
$$;
comment on function app.plain_file_operation is
  'False while a link is being signed, which would outlive membership, or a bucket listed, which nothing needs.';

create function app.upload_in_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select substring(path from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/(?:file|thumb)$')::uuid
$$;
comment on function app.upload_in_path is 'The upload that a path in `files` belongs to; null when it has another form.';

create function app.channel_in_path(path text) returns uuid
language sql immutable set search_path = ''
as $$
  select case when app.upload_in_path(path) is not null then split_part(path, '/', 1)::uuid end
$$;
comment on function app.channel_in_path is 'The channel in which a path in `files` was uploaded; null for other forms.';

create function app.can_upload(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading app.reading;
begin
  if app.upload_in_path(path) is null then return false; end if;
  reading := app.reading_of(app.channel_in_path(path));
  return coalesce(reading.member and reading.archived_at is null, false)
    -- Under an id that a message already carries, a late upload would change what others saw attached.
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(path));
end
$$;
comment on function app.can_upload is 'Whether the caller may put bytes at this path: membership of its channel.';

create function app.owns_loose_upload(path text, owner text, made_at timestamptz) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return owner = auth.uid()::text
    and made_at > now() - interval '1 day'
    and (app.reading_of(app.channel_in_path(path))).member
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(path))
    and not exists (select from public.file_removals r where r.bucket_id = 'files' and r.name = path);
end
$$;
comment on function app.owns_loose_upload is
  'Whether this is the caller''s own upload of the last day that no message carries or carried.';

create function app.can_read_file(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.attachments a
    join public.messages m on m.id = a.message_id and m.deleted_at is null
    where a.upload_id = app.upload_in_path(path)
      and a.upload_channel_id = app.channel_in_path(path)
      and (app.reading_of(m.channel_id)).history_from_seq <= m.base_seq
  );
end
$$;
comment on function app.can_read_file is 'Whether the caller can read a message that carries this file.';

-- Row security ------------------------------------------------------------------------------------------

alter table public.attachments enable row level security;
alter table public.file_removals enable row level security;

create policy "readers of a message see its files" on public.attachments
  for select to authenticated using (exists (select from public.messages m where m.id = attachments.message_id));
comment on policy "readers of a message see its files" on public.attachments is
  'Asked through messages, whose policy applies inside.';

-- No comments on these policies: on hosted projects their tables belong to another role, which forbids them.
create policy "members upload to their channels" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'files' and (select app.plain_file_operation()) and app.can_upload(name));

create policy "readers of a message open its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'files' and (select app.plain_file_operation())
    and (app.can_read_file(name) or app.owns_loose_upload(name, owner_id, created_at))
  );

create policy "people take back loose uploads" on storage.objects
  for delete to authenticated
  using (
    bucket_id = 'files' and (select app.plain_file_operation())
    and app.owns_loose_upload(name, owner_id, created_at)
  );

create policy "fellow members see faces" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'avatars' and (select app.plain_file_operation())
    and (storage.foldername(name))[1] in (select p::text from app.my_people_ids() p)
  );

create policy "people bring their own face" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'avatars' and (select app.plain_file_operation())
    and (storage.foldername(name))[1] = (select app.my_card_id())::text and cardinality(storage.foldername(name)) = 1
  );

create policy "people change their own face" on storage.objects
  for update to authenticated
  using (
    bucket_id = 'avatars' and (select app.plain_file_operation())
    and (storage.foldername(name))[1] = (select app.my_card_id())::text
  )
  with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select app.my_card_id())::text
    and cardinality(storage.foldername(name)) = 1
  );

create policy "people take away their own face" on storage.objects
  for delete to authenticated
  using (
    bucket_id = 'avatars' and (select app.plain_file_operation())
    and (storage.foldername(name))[1] = (select app.my_card_id())::text
  );

revoke all on public.attachments, public.file_removals from public, anon, authenticated, service_role;
grant select on public.attachments to authenticated;
grant select, insert, update, delete on public.attachments, public.file_removals to service_role;

-- Emptying ----------------------------------------------------------------------------------------------

create function public.files_to_empty(max_files integer default 1000) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Uploads that no message took within a day join the queue first; the day is what attaching allows.
  insert into public.file_removals (bucket_id, name)
  select o.bucket_id, o.name from storage.objects o
  where o.bucket_id = 'files' and o.created_at < now() - interval '1 day 1 hour'
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(o.name))
  limit max_files
  on conflict do nothing;
  return coalesce((
    select jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name))
    from (
      select r.bucket_id, r.name from public.file_removals r order by r.queued_at limit max_files
    ) f
  ), '[]');
end
$$;
comment on function public.files_to_empty is
  'For the service: which files to delete through the storage API now. Then tell files_emptied.';

create function public.files_emptied(bucket text, names text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.file_removals r where r.bucket_id = bucket and r.name = any (names);
  return jsonb_build_object('bucket', bucket);
end
$$;
comment on function public.files_emptied is 'For the service: these files are gone from storage.';

revoke execute on function public.files_to_empty, public.files_emptied from public, anon, authenticated;
grant execute on function public.files_to_empty, public.files_emptied to service_role;

revoke execute on all functions in schema app from public;
grant execute on function app.plain_file_operation, app.can_upload, app.owns_loose_upload, app.can_read_file
  to authenticated;
