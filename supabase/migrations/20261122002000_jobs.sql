-- Background jobs: deleting objects, and removing what has expired. pg_cron runs them, pg_net calls the functions in
-- `supabase/functions`; Vault stores their address and the secret by which they recognise the database.

create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault with schema vault;

-- Calling functions ------------------------------------------------------------------------------------

create function app.store_secret(secret_name text, secret text, description text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  existing_id constant uuid := (select s.id from vault.secrets s where s.name = secret_name);
begin
  if existing_id is null then
    perform vault.create_secret(secret, secret_name, description);
  else
    perform vault.update_secret(existing_id, secret, secret_name, description);
  end if;
end
$$;
comment on function app.store_secret is 'Stores a secret in Vault under a name, replacing an existing one.';

create function app.read_secret(secret_name text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select s.decrypted_secret from vault.decrypted_secrets s where s.name = secret_name);
exception when others then
  -- Data that were moved to another server contain secrets that its key cannot decrypt.
  return null;
end
$$;
comment on function app.read_secret is 'A secret from Vault; null if there is none or it cannot be decrypted.';

select app.store_secret('linnet_task_secret', app.random_token(),
  'Authenticates calls of the database to Linnet''s functions.');

create function public.register_server_url(url text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.read_secret('project_url') is distinct from url then
    perform app.store_secret('project_url', url, 'The URL of this server, for calls of Linnet''s functions.');
  end if;
  if app.read_secret('linnet_task_secret') is null then
    perform app.store_secret('linnet_task_secret', app.random_token(),
      'Authenticates calls of the database to Linnet''s functions.');
  end if;
  return jsonb_build_object('url', url);
end
$$;
comment on function public.register_server_url is
  'For service_role: stores the URL of this server, at each start. On hosted projects it is stored once, as the Vault '
  'secret project_url.';

create function public.check_task(secret text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Compares hashes, so that the time of the comparison reveals nothing about the secret.
  return jsonb_build_object('valid',
    coalesce(app.hash_token(secret) = app.hash_token(app.read_secret('linnet_task_secret')), false));
end
$$;
comment on function public.check_task is 'For service_role: whether a call with this secret comes from this database.';

create function app.call_task(task text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  address constant text := app.read_secret('project_url');
  secret constant text := app.read_secret('linnet_task_secret');
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
  'Calls one of Linnet''s functions once this transaction has committed; does nothing if the server''s URL is not '
  'known.';

-- Cleaning up ------------------------------------------------------------------------------------------

create function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- attach accepts uploads of the last day.
  perform app.queue_unreferenced_objects('files');
  perform app.queue_unreferenced_objects('avatars');
  -- Invitations that can no longer be used, with their e-mail addresses. Only after a month, so that the bearer of a
  -- link learns why it no longer works.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  delete from public.rate_limits r where r.full_at < now();
  -- pg_cron stores runs forever; pg_net deletes its responses itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
end
$$;
comment on function app.sweep is
  'Removes what has expired: uploads and avatars that nothing references, unusable invitations, old heartbeats, rate '
  'limits that are full again, and old runs of jobs.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.register_server_url, public.check_task from public, anon, authenticated, service_role;
grant execute on function public.register_server_url, public.check_task to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: delete files', '*/5 * * * *',
  $$select app.call_task('delete-files') where exists (select from public.file_deletion_queue)$$);
select cron.schedule('linnet: sweep', '17 * * * *', 'select app.sweep()');
select cron.schedule('linnet: appoint owners', '47 * * * *', 'select app.appoint_owners()');
