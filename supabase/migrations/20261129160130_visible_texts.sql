-- Messages and names of files must have a visible character. The redefined functions are otherwise as before.

create or replace function app.require_message_body(body text, may_be_empty boolean) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- The length first: nothing examines a longer text.
  if char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  elsif body is null or not app.is_visible(body) and not may_be_empty then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  end if;
  return body;
end
$$;

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

update public.attachments a set name = app.clean_file_name(a.name) where not app.is_legible_file_name(a.name);
alter table public.attachments drop constraint attachments_name_plain,
  add constraint attachments_name_legible check (app.is_legible_file_name(name));
update public.scheduled_messages s
set files = (
  select jsonb_agg(f.file || jsonb_build_object('name', app.clean_file_name(f.file ->> 'name')) order by f.position)
  from jsonb_array_elements(s.files) with ordinality f (file, position))
where exists (select from jsonb_array_elements(s.files) f where not app.is_legible_file_name(f ->> 'name'));

create or replace function app.checked_files(channel uuid, requested jsonb) returns jsonb
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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.is_legible_file_name to service_role;
