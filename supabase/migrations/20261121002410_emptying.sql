-- A file that a message names keeps its bytes, whatever stands in the queue.

create or replace function public.files_to_empty(max_files integer default 1000) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Somebody said a file again while its only message was deleted: neither saw the other. The file is named, so it stays.
  delete from public.file_removals r
  using public.attachments a
  where r.bucket_id = 'files' and a.upload_id = app.upload_in_path(r.name)
    and a.upload_channel_id = app.channel_in_path(r.name);
  return coalesce((
    select jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name))
    from (
      select r.bucket_id, r.name from public.file_removals r order by r.queued_at limit max_files
    ) f
  ), '[]');
end
$$;
comment on function public.files_to_empty is
  'For the service: which files to delete through the storage API now, none that a message names. Then tell files_emptied.';
