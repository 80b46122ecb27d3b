-- What all other files use: the schema `app`, the extensions, the installation's settings, tokens and secrets.
--
-- The schema `app` contains what policies and commands call. It is not exposed through the API. Its functions are owned
-- by `postgres`, which bypasses row security, so each of them checks the caller itself.
--
-- Only the owner may execute a new function. Hosted projects grant the API roles what is created in `public`, older projects also
-- functions, so each file revokes this and then grants the rights that each function needs.

-- For all schemas: PostgreSQL lets everyone execute a new function, and a default for one schema cannot revoke that.
alter default privileges revoke execute on functions from public;

create schema if not exists app;
comment on schema app is 'Helpers of policies and commands. Never exposed through the API.';
revoke all on schema app from public;
grant usage on schema app to anon, authenticated, service_role;

create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault with schema vault;

-- Settings ---------------------------------------------------------------------------------------------

create table public.settings (
  key text primary key,
  value jsonb not null,
  is_fixed boolean not null default false,
  unfixed_value jsonb
);
comment on table public.settings is
  'Settings of the installation, and the hash of its set-up token. No access for clients.';
comment on column public.settings.is_fixed is
  'Whether linnet.toml or an environment variable of the server has the value. Nothing else can change it then.';
comment on column public.settings.unfixed_value is
  'The value that the setting has again once no file fixes it; null if it has no row then.';
alter table public.settings enable row level security;
revoke all on public.settings from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.settings to service_role;

create function app.minutes_setting(name text) returns interval
language sql stable security definer set search_path = ''
as $$ select (s.value #>> '{}')::numeric * interval '1 minute' from public.settings s where s.key = name $$;
comment on function app.minutes_setting is 'A setting in minutes.';

create function app.refuse_fixed_setting() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise exception using errcode = 'PT409',
    message = format('%s is set in linnet.toml or in an environment variable of the server', old.key),
    hint = 'Change the setting there, and restart the server.';
end
$$;
comment on function app.refuse_fixed_setting is 'Refuses changes of a setting that a file fixes, and its deletion.';

create trigger settings_fixed_value before update on public.settings
  for each row when (old.is_fixed and new.is_fixed and old.value is distinct from new.value)
  execute function app.refuse_fixed_setting();
create trigger settings_fixed_row before delete on public.settings
  for each row when (old.is_fixed)
  execute function app.refuse_fixed_setting();

-- The server calls it at each start, twice: with no settings before migrations, so that a migration can change a default, and
-- with those of its files after them. Hosted projects have no such files, so nothing is fixed there.
create function app.apply_fixed_settings(fixed jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  released record;
begin
  for released in select s.key, s.unfixed_value from public.settings s where s.is_fixed order by s.key loop
    update public.settings s
    set is_fixed = false, value = coalesce(s.unfixed_value, s.value), unfixed_value = null
    where s.key = released.key;
    if released.unfixed_value is null then
      delete from public.settings s where s.key = released.key;
    end if;
  end loop;
  insert into public.settings as s (key, value, is_fixed)
  select f.key, f.value, true from jsonb_each(fixed) f
  on conflict (key) do update set
    -- A file can contain some of the rate limits. The others keep their values.
    value = case when jsonb_typeof(s.value) = 'object' and jsonb_typeof(excluded.value) = 'object'
      then s.value || excluded.value else excluded.value end,
    is_fixed = true, unfixed_value = s.value;
end
$$;
comment on function app.apply_fixed_settings is
  'For the server: sets these settings and fixes them. Settings that were fixed before and are missing get back the values that '
  'they had before.';

-- Tokens and secrets -----------------------------------------------------------------------------------

create function app.hash_token(token text) returns text
language sql immutable set search_path = ''
as $$ select encode(sha256(convert_to(token, 'UTF8')), 'hex') $$;
comment on function app.hash_token is
  'The stored form of a token. SHA-256 without a salt is enough: tokens are long and random, not chosen by people.';

create function app.random_token() returns text
language sql volatile set search_path = ''
as $$
  select translate(
    encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64'),
    '+/=', '-_')
$$;
comment on function app.random_token is '244 random bits in URL-safe base64.';

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
