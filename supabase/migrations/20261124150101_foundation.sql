-- What all other migrations use: the schema `app`, the extensions, the installation's settings, tokens and secrets, and
-- the check of names.
--
-- The schema `app` contains what policies and commands call. It is not exposed through the API. Its functions are owned
-- by `postgres`, which bypasses row security, so each of them checks the caller itself.
--
-- Every migration that creates functions ends with their rights: PostgreSQL lets everyone execute a new function, and
-- older hosted projects grant it to the API roles as well.

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

-- Names ------------------------------------------------------------------------------------------------

create function app.is_legible(value text) returns boolean
language sql immutable set search_path = ''
as $$
  select value !~ '[[:cntrl:]\u202A-\u202E\u2066-\u2069]'
    and (btrim(value) = '' or value ~ ('[^[:space:]\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5'
      '\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0]'))
$$;
comment on function app.is_legible is
  'Whether a text of one line can be recognised by sight: no character is a control character, such as a line break, or '
  'overrides the direction of the text after it, and at least one is visible. Text of blanks only is left to the check of '
  'its length.';

create function app.are_legible_lines(value text) returns boolean
language sql immutable set search_path = ''
as $$
  select app.is_legible(translate(value, E'\t\r\n', ''))
$$;
comment on function app.are_legible_lines is 'As is_legible, of a text that may have several lines, and tabs.';

create function app.require_name(name text, failure text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if name is null or char_length(btrim(name)) not between 1 and 80 or not app.is_legible(name) then
    raise exception using errcode = 'PT400', message = failure;
  end if;
  return btrim(name);
end
$$;
comment on function app.require_name is
  'The name without leading and trailing blanks; fails with the name of the constraint that it would violate.';

-- Time zones -------------------------------------------------------------------------------------------

create function app.is_time_zone(name text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- PostgreSQL also accepts abbreviations, which have no slash, and rules such as FOO+3, which have a digit. Browsers know
  -- neither, except these.
  if name is null or name !~ ('^([A-Za-z]+(_[A-Za-z]+)*([/-][A-Za-z]+(_[A-Za-z]+)*)+|Etc/GMT(\+(\d|1[0-2])|-(\d|1[0-4]))'
    '|UTC|GMT|[CEMW]ET|[EMH]ST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$')
  then
    return false;
  end if;
  perform now() at time zone name;
  return true;
exception when invalid_parameter_value then
  return false;
end
$$;
comment on function app.is_time_zone is
  'Whether this is a name of the IANA database. The view pg_timezone_names reads all of its files, 600 of them.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.is_legible, app.are_legible_lines to authenticated, service_role;
