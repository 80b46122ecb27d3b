import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Markup that would run if it were not escaped. */
export const evil = '<img src=x onerror=alert(1)>'

const config = `project_id = "clinic ${evil}"

[api]
auto_expose_new_tables = false

[functions.hello]
verify_jwt = false
`

const migration = `
create table public.visits (
  id bigint generated always as identity primary key,
  patient text not null default 'nobody',
  at timestamptz not null default now()
);
comment on table public.visits is 'Who came when. ${evil}';
alter table public.visits enable row level security;
create policy "Everyone ${evil} may look" on public.visits for select using (patient <> '${evil}');
create policy "anyone may write" on public.visits for insert to anon with check (true);
grant select, insert on public.visits to anon, authenticated;
insert into public.visits (patient) select 'patient ' || n from generate_series(1, 1234) n;

create table public.open_notes (id int primary key, body text);
grant select, update on public.open_notes to anon;

create table public.shut_notes (id int primary key);
alter table public.shut_notes enable row level security;

create table public."${evil}" (id int primary key, "</td><script>alert(2)</script>" text);
alter table public."${evil}" enable row level security;
create table public."جدول المواعيد" (id int primary key);
alter table public."جدول المواعيد" enable row level security;
create table public.a_table_whose_name_is_as_long_as_postgresql_lets_a_name_be_6 (id int primary key);
alter table public.a_table_whose_name_is_as_long_as_postgresql_lets_a_name_be_6 enable row level security;

create table public.large (id int primary key, filler text);
alter table public.large enable row level security;
insert into public.large select n, repeat('x', 400) from generate_series(1, 6000) n;
analyze public.large;

create view public.all_notes as select * from public.open_notes;
grant select on public.all_notes to anon;
create view public.own_notes with (security_invoker = on) as select * from public.open_notes;
grant select on public.own_notes to anon;

create function public.shout(words text default '${evil}') returns text
  language sql security definer as $$ select upper(words) $$;
comment on function public.shout is 'Louder. ${evil}';
create function public.whisper() returns text language sql set search_path = '' as $$ select 'psst' $$;
revoke execute on function public.whisper from public;

insert into storage.buckets (id, name, public) values ('pictures', 'pictures', true), ('${evil}', '${evil}', false);
insert into storage.objects (bucket_id, name, metadata) values
  ('pictures', 'a.png', '{"size": 2048}'), ('pictures', 'b.png', '{"size": "no number"}');
`

const seed = `
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
  raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
  'person' || n || '@example.com', 'NEVER-SHOW-THIS', now(), '{"provider": "email", "providers": ["email"]}',
  '{}', now() - n * interval '1 minute', now()
from generate_series(1, 120) n;
update auth.users set raw_user_meta_data = '{"name": "${evil}", "note": "</pre><script>alert(3)</script>"}'
  where email = 'person1@example.com';
update auth.users set raw_user_meta_data = '{"full_name": "آن عبد الله"}' where email = 'person2@example.com';
insert into auth.sessions (id, user_id, created_at, user_agent, ip)
  select gen_random_uuid(), id, now(), '${evil}', '192.0.2.7' from auth.users where email = 'person1@example.com';
insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
  select gen_random_uuid(), id, '${evil}' || status, 'totp', status::auth.factor_status, 'NEVER-SHOW-THIS', now(), now()
  from auth.users, unnest(array['verified', 'unverified']) status where email in ('person1@example.com', 'person3@example.com');
insert into auth.sessions (id, user_id, created_at) select gen_random_uuid(), id, now() from auth.users
  where email in ('person3@example.com', 'person4@example.com');
`

/** A project with hostile names and with defects that cause warnings. */
export function writeHostileProject(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-hostile-'))
  mkdirSync(join(dir, 'migrations'))
  mkdirSync(join(dir, 'functions', 'hello'), { recursive: true })
  writeFileSync(join(dir, 'config.toml'), config)
  writeFileSync(join(dir, 'migrations', '20240101000000_clinic.sql'), migration)
  writeFileSync(join(dir, 'functions', 'hello', 'index.ts'), `Deno.serve(() => new Response('hello'))\n`)
  writeFileSync(join(dir, 'seed.sql'), seed)
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
