-- The location is removed from pictures and videos that programs upload. Decision 75 gives the reasons.
--
-- A stored object adds a job and calls the function `remove-metadata` once it is committed. The function reads the object in
-- ranges, and replaces it with an object of the same length if it contains metadata. The app removes the metadata before it
-- uploads a file, so the function only reads the app's uploads.

create function app.queue_metadata_removal() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  is_first boolean;
  is_imported boolean;
begin
  -- The storage service writes the size with the last byte. Before that, it inserts rows to check the policies.
  if coalesce((new.metadata ->> 'size')::bigint, 0) = 0
    or (new.bucket_id = 'files' and app.upload_in_path(new.name) is null)
  then
    return null;
  end if;
  is_imported := new.owner_id is null and new.bucket_id = 'files' and exists (
    select from public.channels c join public.imports i on i.id = c.import_id
    where c.id = app.channel_in_path(new.name) and i.finished_at is null);
  is_first := not exists (
    select from public.jobs j where j.kind = 'remove_metadata' and j.failed_at is null and j.run_at = now());
  -- An import makes its jobs due at its end, when the server has time.
  perform app.add_job('remove_metadata', new.id, jsonb_build_object('bucket', new.bucket_id, 'name', new.name),
    now() + case when is_imported then interval '1 hour' else interval '0' end);
  -- One call for all objects of a transaction.
  if is_first and not is_imported then perform app.try_start_task('remove-metadata'); end if;
  return null;
end
$$;
comment on function app.queue_metadata_removal is
  'Adds a job that removes the metadata of a stored file or avatar, and calls the function that does so. The object is the '
  'owner of the job.';
-- No comments on these triggers: on hosted projects the table belongs to another role, which forbids them. The object that the
-- function stores causes one further job, which finds nothing to remove.
create trigger metadata_is_removed after insert on storage.objects
  for each row when (new.bucket_id in ('files', 'avatars')) execute function app.queue_metadata_removal();
create trigger metadata_of_replaced_objects_is_removed after update on storage.objects
  for each row when (
    new.bucket_id in ('files', 'avatars') and new.metadata ->> 'eTag' is distinct from old.metadata ->> 'eTag')
  execute function app.queue_metadata_removal();

create function public.claim_metadata_removal() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed public.jobs;
  object record;
begin
  loop
    -- A large video takes minutes.
    select c.* into claimed from app.claim_jobs('remove_metadata', 1, interval '10 minutes') c;
    if claimed.id is null then return null; end if;
    select o.bucket_id, o.name, o.metadata into object from storage.objects o
    where o.bucket_id = claimed.payload ->> 'bucket' and o.name = claimed.payload ->> 'name';
    -- If the function ended twice without reporting an error, the object is not attempted again.
    if found and claimed.attempts <= (case when claimed.error is null then 2 else 7 end) then
      return jsonb_build_object('job', claimed.id, 'bucket', object.bucket_id, 'name', object.name,
        'size', (object.metadata ->> 'size')::bigint,
        'type', coalesce(object.metadata ->> 'mimetype', 'application/octet-stream'),
        'cache_control', coalesce(object.metadata ->> 'cacheControl', 'no-cache'));
    end if;
    perform app.finish_job(claimed.id);
  end loop;
end
$$;
comment on function public.claim_metadata_removal is
  'For service_role: leases a stored object to one caller, which removes its metadata and then calls finish_metadata_removal. '
  'Null if there is none.';

create function public.finish_metadata_removal(job uuid, problem text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.finish_job(finish_metadata_removal.job, finish_metadata_removal.problem);
  return jsonb_build_object('job', finish_metadata_removal.job);
end
$$;
comment on function public.finish_metadata_removal is
  'For service_role: ends a job whose object has no metadata any more, or plans its next attempt after a problem.';

-- Objects that were stored before ----------------------------------------------------------------------

insert into public.settings (key, value) values ('metadata_cursor', '""');

create function app.queue_stored_objects(max_objects integer default 60) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  after_name constant text := (select s.value #>> '{}' from public.settings s where s.key = 'metadata_cursor');
  last_name text;
begin
  with older as (
    select o.id, o.name from storage.objects o
    where o.bucket_id = 'files' and o.name collate "C" > after_name collate "C"
    order by o.name collate "C" limit max_objects
  ), queued as (
    insert into public.jobs (kind, owner_id, payload)
    select 'remove_metadata', o.id, jsonb_build_object('bucket', 'files', 'name', o.name)
    from older o where app.upload_in_path(o.name) is not null
  )
  select max(o.name collate "C") into last_name from older o having count(*) = max_objects;
  if last_name is null then
    delete from public.settings s where s.key = 'metadata_cursor';
  else
    update public.settings s set value = to_jsonb(last_name) where s.key = 'metadata_cursor';
  end if;
end
$$;
comment on function app.queue_stored_objects is
  'Adds jobs for the next files that were stored before their metadata was removed, in the order of their names.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.claim_metadata_removal, public.finish_metadata_removal
  from public, anon, authenticated, service_role;
grant execute on function public.claim_metadata_removal, public.finish_metadata_removal to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: remove metadata', '* * * * *', $$select app.start_task('remove-metadata')
  where exists (select from public.jobs j where j.kind = 'remove_metadata' and j.failed_at is null and j.run_at <= now())$$);
select cron.schedule('linnet: queue stored objects', '* * * * *', $$select app.queue_stored_objects()
  where exists (select from public.settings s where s.key = 'metadata_cursor')$$);
