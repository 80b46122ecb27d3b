-- A thumbnail is fetched by whoever scrolls past its message, and held in memory: so it is one only where storage has
-- a small picture under that name. What its sender says of it could else have each reader fetch half a gigabyte.

create or replace function app.attach(message uuid, channel uuid, wanted jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  file jsonb;
  place integer := 0;
  made_of jsonb;
  path text;
begin
  for file in select f from jsonb_array_elements(wanted) f loop
    path := channel || '/' || lower(file ->> 'id') || '/file';
    if app.upload_in_path(path) is null
      or coalesce(file ->> 'name', '') !~ '^[^[:cntrl:]/\\]{1,255}$'
    then
      raise exception using errcode = 'PT400', message = 'bad_attachment';
    end if;
    select o.metadata into made_of from storage.objects o
    where o.bucket_id = 'files' and o.name = path and o.owner_id = auth.uid()::text
      and o.created_at > now() - interval '1 day'
      and not exists (select from public.file_removals r where r.bucket_id = 'files' and r.name = path);
    if not found then
      raise exception using errcode = 'PT409', message = 'attachments_missing';
    end if;
    insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size, width,
      height, thumb)
    values (message, app.upload_in_path(path), channel, place, file ->> 'name',
      coalesce(made_of ->> 'mimetype', 'application/octet-stream'), coalesce((made_of ->> 'size')::bigint, 0),
      (file ->> 'width')::integer, (file ->> 'height')::integer,
      coalesce((file ->> 'thumb')::boolean, false) and app.has_thumb(regexp_replace(path, 'file$', 'thumb')));
    place := place + 1;
  end loop;
end
$$;

create function app.has_thumb(path text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from storage.objects o
    where o.bucket_id = 'files' and o.name = path and o.owner_id = auth.uid()::text
      and (o.metadata ->> 'size')::bigint <= 2097152 and app.file_kind(o.metadata ->> 'mimetype') = 'picture')
$$;
comment on function app.has_thumb is
  'Whether the caller has put a picture of 2 MiB at most there. Nobody can change it once a message carries its upload.';

revoke execute on function app.has_thumb from public;
