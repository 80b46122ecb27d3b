-- The bytes of an avatar are deleted when its profile no longer names it.

create function app.queue_replaced_avatar() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.file_removals (bucket_id, name) values ('avatars', old.avatar) on conflict do nothing;
  return null;
end
$$;
comment on function app.queue_replaced_avatar is
  'Queues the object of an avatar that was replaced or removed. In the same transaction, so that no client has to delete it.';

create trigger replaced_avatars_are_queued after update on public.profiles
  for each row when (old.avatar is not null and new.avatar is distinct from old.avatar)
  execute function app.queue_replaced_avatar();
comment on trigger replaced_avatars_are_queued on public.profiles is
  'For every column: an account that is deleted removes the avatar without naming that column.';

create function app.remove_avatar_with_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.avatar = null;
  return new;
end
$$;
comment on function app.remove_avatar_with_account is
  'Removes the avatar of an account that is deleted: the profile stays as the author of its messages.';

create trigger avatars_end_with_accounts before update on public.profiles
  for each row when (old.user_id is not null and new.user_id is null)
  execute function app.remove_avatar_with_account();
comment on trigger avatars_end_with_accounts on public.profiles is
  'The foreign key sets user_id to null when the account is deleted.';

create or replace function public.files_to_empty(max_files integer default 1000) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A message that was sent with the file while its only other message was deleted: neither saw the other.
  delete from public.file_removals r
  using public.attachments a
  where r.bucket_id = 'files' and a.upload_id = app.upload_in_path(r.name)
    and a.upload_channel_id = app.channel_in_path(r.name);
  -- An avatar that was set again after it had been replaced.
  delete from public.file_removals r
  using public.profiles p
  where r.bucket_id = 'avatars' and p.avatar = r.name;
  return coalesce((
    select jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name))
    from (
      select r.bucket_id, r.name from public.file_removals r order by r.queued_at limit max_files
    ) f
  ), '[]');
end
$$;
comment on function public.files_to_empty is
  'For the service: which objects to delete through the storage API now, none that a message or a profile names. Then call files_emptied.';

create or replace function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Uploads that no message took within a day; the day is what attaching allows.
  insert into public.file_removals (bucket_id, name)
  select o.bucket_id, o.name from storage.objects o
  where o.bucket_id = 'files' and o.created_at < now() - interval '1 day 1 hour'
    and not exists (select from public.attachments a where a.upload_id = app.upload_in_path(o.name))
    and not exists (select from public.file_removals r where r.bucket_id = o.bucket_id and r.name = o.name)
  limit 10000
  on conflict do nothing;
  -- Avatars that no profile took: their upload was not followed by the update of the profile.
  insert into public.file_removals (bucket_id, name)
  select o.bucket_id, o.name from storage.objects o
  where o.bucket_id = 'avatars' and o.created_at < now() - interval '1 day 1 hour'
    and not exists (
      select from public.profiles p where p.id::text = split_part(o.name, '/', 1) and p.avatar = o.name)
    and not exists (select from public.file_removals r where r.bucket_id = o.bucket_id and r.name = o.name)
  limit 10000
  on conflict do nothing;
  -- Invitations that can no longer be used, with the addresses they were for. A month, so that whoever still holds a
  -- link is told what became of it.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  -- pg_cron keeps each run for ever; pg_net deletes its responses by itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
end
$$;
comment on function app.sweep is
  'Ends what has expired: uploads and avatars that nothing names, unusable invitations, old heartbeats and old runs of jobs.';

revoke execute on function app.queue_replaced_avatar, app.remove_avatar_with_account from public;
