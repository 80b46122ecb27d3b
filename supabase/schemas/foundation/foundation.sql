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
  value jsonb not null
);
comment on table public.settings is
  'Settings of the installation, and the hash of its set-up token. No access for clients.';
alter table public.settings enable row level security;
revoke all on public.settings from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.settings to service_role;

create function app.minutes_setting(name text) returns interval
language sql stable security definer set search_path = ''
as $$ select (s.value #>> '{}')::numeric * interval '1 minute' from public.settings s where s.key = name $$;
comment on function app.minutes_setting is 'A setting in minutes.';

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
