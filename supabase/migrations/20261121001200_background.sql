-- Work that nobody waits for: emptying bytes, and ending what has ended. pg_cron keeps the hours, pg_net calls the
-- functions in `supabase/functions`, Vault holds the address and the secret that they know us by.

create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault with schema vault;

-- Calling our own functions -------------------------------------------------------------------------------

create function app.keep_secret(secret_name text, secret text, about text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  known constant uuid := (select s.id from vault.secrets s where s.name = secret_name);
begin
  if known is null then
    perform vault.create_secret(secret, secret_name, about);
  else
    perform vault.update_secret(known, secret, secret_name, about);
  end if;
end
$$;
comment on function app.keep_secret is 'Puts a secret into Vault under its name, over what is there.';

create function app.kept_secret(secret_name text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select s.decrypted_secret from vault.decrypted_secrets s where s.name = secret_name);
exception when others then
  -- Data that have moved to another home bring secrets that its key does not open.
  return null;
end
$$;
comment on function app.kept_secret is 'A secret from Vault; null where it has none, or can''t open it.';

select app.keep_secret('linnet_task_secret', app.random_token(),
  'What Linnet''s own functions know a call of the database by.');

create function public.offer_address(address text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.kept_secret('project_url') is distinct from address then
    perform app.keep_secret('project_url', address, 'Where Linnet''s own functions are reached.');
  end if;
  if app.kept_secret('linnet_task_secret') is null then
    perform app.keep_secret('linnet_task_secret', app.random_token(),
      'What Linnet''s own functions know a call of the database by.');
  end if;
  return jsonb_build_object('address', address);
end
$$;
comment on function public.offer_address is
  'For the service: where this home is reached, told at each start. On hosted projects the Vault secret project_url says it once.';

create function public.check_task(secret text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Digests are compared, so that how long it takes tells nothing of the secret.
  return jsonb_build_object('ours',
    coalesce(app.hash_token(secret) = app.hash_token(app.kept_secret('linnet_task_secret')), false));
end
$$;
comment on function public.check_task is 'For the service: whether a call with this secret comes from our own database.';

create function app.call_task(task text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  address constant text := app.kept_secret('project_url');
  secret constant text := app.kept_secret('linnet_task_secret');
begin
  if address is not null and secret is not null then
    perform net.http_post(
      url := rtrim(address, '/') || '/functions/v1/' || task,
      body := '{}'::jsonb,
      headers := jsonb_build_object('content-type', 'application/json', 'x-linnet-task', secret),
      timeout_milliseconds := 60000);
  end if;
end
$$;
comment on function app.call_task is
  'Calls one of our own functions once this transaction has committed; does nothing where our address is not known.';

-- Emptying ------------------------------------------------------------------------------------------------

create function app.poke_emptying() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (select from added) then perform app.call_task('empty-files'); end if;
  return null;
exception when others then
  -- A hint only: deleting must not fail for it, and the hourly look finds what it has missed.
  return null;
end
$$;
comment on function app.poke_emptying is 'Has the bytes emptied as soon as what named them is deleted.';

create trigger poke_emptying after insert on public.file_removals
  referencing new table as added
  for each statement execute function app.poke_emptying();

create index file_removals_queued on public.file_removals (queued_at);

create or replace function public.files_to_empty(max_files integer default 1000) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name)), '[]')
  from (
    select r.bucket_id, r.name from public.file_removals r order by r.queued_at limit max_files
  ) f
$$;

create or replace function public.files_emptied(bucket text, names text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.file_removals r where r.bucket_id = bucket and r.name = any (names);
  return jsonb_build_object('bucket', bucket);
end
$$;

-- Ending --------------------------------------------------------------------------------------------------

create function app.sweep() returns void
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
  -- Ways in that lead nowhere any more, with the addresses they were for. A month, so that whoever still holds a
  -- link is told what became of it.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  -- pg_cron keeps each run for ever; pg_net forgets its answers by itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
end
$$;
comment on function app.sweep is
  'Ends what has ended: uploads that nothing took, dead invitations, old heartbeats and old runs of jobs.';

revoke execute on function public.offer_address, public.check_task from public, anon, authenticated;
grant execute on function public.offer_address, public.check_task to service_role;
revoke execute on all functions in schema app from public;

select cron.schedule('linnet: empty files', '*/5 * * * *',
  $$select app.call_task('empty-files') where exists (select from public.file_removals)$$);
select cron.schedule('linnet: sweep', '17 * * * *', 'select app.sweep()');
