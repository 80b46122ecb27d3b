import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Pool } from '../connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'
import { migrate } from './migrate.ts'

const first = `create table public.birds (id int primary key);
  create function public.is_rare(id int) returns boolean language sql as 'select id > 1';
  create policy "icons are public" on storage.objects for select using (true);
  alter role authenticator set pgrst.db_pre_request = 'public.is_rare';`
const second = `alter table public.birds add column name text not null default '';
  create or replace function public.is_rare(id int) returns boolean language sql as 'select id > 2';
  insert into storage.buckets (id, name) values ('icons', 'icons');`
const baseline = `-- The whole schema.
-- replaces: 1 2
create table public.birds (id int primary key, name text not null default '');
create function public.is_rare(id int) returns boolean language sql as 'select id > 2';
create policy "icons are public" on storage.objects for select using (true);
insert into storage.buckets (id, name) values ('icons', 'icons');
alter role authenticator set pgrst.db_pre_request = 'public.is_rare';`

let postgres: TemporaryPostgres
let admin: Pool
let dir: string

beforeAll(async () => {
  postgres = await temporaryPostgres()
  admin = postgres.pool('supabase_admin', 1)
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-supabase-'))
  mkdirSync(join(dir, 'migrations'))
  write('1_first.sql', first)
  write('2_second.sql', second)
  await start()
  await admin.query('insert into public.birds (id) values (7)')
  for (const name of ['1_first.sql', '2_second.sql']) rmSync(join(dir, 'migrations', name))
  write('3_baseline.sql', baseline)
})
afterEach(async () => {
  rmSync(dir, { recursive: true })
  await admin.query(`drop schema if exists supabase_migrations cascade; drop table if exists public.birds;
    drop function if exists public.is_rare; alter role authenticator reset pgrst.db_pre_request;
    drop policy if exists "icons are public" on storage.objects; drop policy if exists "all" on storage.objects;
    set storage.allow_delete_query to 'true'; delete from storage.buckets`)
})

const write = (name: string, sql: string): void => writeFileSync(join(dir, 'migrations', name), sql)
const lines: string[] = []
const log = {
  info: (event: string) => void lines.push(event),
  warn: (event: string) => void lines.push(event),
  error: (event: string) => void lines.push(event),
}
const start = (): Promise<{ applied: string[] }> =>
  migrate({ postgres, admin: postgres.config('supabase_admin'), dir, log })
const versions = async (): Promise<string[]> =>
  (
    await admin.query<{ version: string }>(
      'select version from supabase_migrations.schema_migrations order by version',
    )
  ).rows.map(({ version }) => version)
const databases = async (): Promise<number> =>
  (await admin.query(`select from pg_database where datname = 'linnet_adoption'`)).rowCount ?? 0

test('a baseline is recorded in place of the migrations that it replaces, and later ones run', async () => {
  write('4_later.sql', 'alter table public.birds add column wingspan int;')
  expect(await start()).toEqual({ applied: ['4_later.sql'] })
  expect(lines).toContain('schema.migrations_replaced')
  expect(await versions()).toEqual(['3', '4'])
  const { rows } = await admin.query(
    `select name, statements[2] as statement from supabase_migrations.schema_migrations where version = '3'`,
  )
  expect(rows).toEqual([
    { name: 'baseline', statement: expect.stringContaining('create function public.is_rare') },
  ])
  expect((await admin.query('select * from public.birds')).rows).toEqual([
    { id: 7, name: '', wingspan: null },
  ])
  expect(await databases()).toBe(0)
  lines.length = 0
  expect(await start()).toEqual({ applied: [] })
  expect(lines).not.toContain('schema.migrations_replaced')
})

test('a later migration that is already applied is compared together with the baseline', async () => {
  await admin.query(`set role postgres; alter table public.birds add column wingspan int; reset role;
    insert into supabase_migrations.schema_migrations (version, name) values ('4', 'later')`)
  write('4_later.sql', 'alter table public.birds add column wingspan int;')
  expect(await start()).toEqual({ applied: [] })
  expect(await versions()).toEqual(['3', '4'])
})

test('a new database runs the baseline itself', async () => {
  await admin.query(`drop schema supabase_migrations cascade; drop table public.birds; drop function public.is_rare;
    drop policy "icons are public" on storage.objects; set storage.allow_delete_query to 'true'; delete from storage.buckets`)
  expect(await start()).toEqual({ applied: ['3_baseline.sql'] })
})

test.each([
  [
    'lacks a replaced migration',
    `delete from supabase_migrations.schema_migrations where version = '1'`,
    /3_baseline\.sql replaces migrations that the database lacks: 1\. Nothing was changed/,
  ],
  [
    'has a migration that no file has',
    `insert into supabase_migrations.schema_migrations (version) values ('2026')`,
    /the database also has 2026, which the folder lacks\. Nothing was changed/,
  ],
  [
    'has another definition of a function',
    `create or replace function public.is_rare(id int) returns boolean language sql as 'select (id > 2)'`,
    /The function public\.is_rare\(id integer\) differs: .*\(id > 2\).* instead of/,
  ],
  [
    'has its columns in another order',
    'alter table public.birds drop column name; alter table public.birds add column extra int; alter table public.birds add column name text not null default $$$$',
    /position or storage of the column public\.birds\.name differs: "position 3"[^]*The column public\.birds\.extra is not expected/,
  ],
  [
    'has a policy of its own on a table of the platform',
    'create policy "all" on storage.objects using (true)',
    /The policy "all" on storage\.objects is not expected/,
  ],
  [
    'has another setting of a role',
    `alter role authenticator set pgrst.db_pre_request = 'public.other'`,
    /The setting pgrst\.db_pre_request.* differs: "public\.other" instead of "public\.is_rare"/,
  ],
  [
    'has other rights',
    'grant insert on public.birds to anon with grant option',
    /The grant anon on table public\.birds differs/,
  ],
])('a database that %s is refused unchanged', async (_, change, sentence) => {
  await admin.query(change)
  const before = await versions()
  await expect(start()).rejects.toThrow(sentence)
  expect(await versions()).toEqual(before)
  expect(await databases()).toBe(0)
  const { rows } = await admin.query<{ settings: string[] }>(
    `select setconfig as settings from pg_db_role_setting where setrole = 'authenticator'::regrole and setdatabase = 0`,
  )
  expect(rows[0]!.settings.join()).toContain(
    change.includes('public.other') ? 'public.other' : 'public.is_rare',
  )
})

test('partitions that the platform creates every day, and cron jobs of the owner, prevent nothing', async () => {
  await admin.query(`create table realtime.messages_2099_01_01 partition of realtime.messages
    for values from ('2099-01-01') to ('2099-01-02')`)
  await start()
  expect(await versions()).toEqual(['3'])
  await admin.query('drop table realtime.messages_2099_01_01')
})

test('a database that a crash has left is replaced', async () => {
  await admin.query('create database linnet_adoption')
  await start()
  expect(await versions()).toEqual(['3'])
  expect(await databases()).toBe(0)
})

test('a start that ends between the record and a later migration continues with this migration', async () => {
  write('4_later.sql', 'select nothing;')
  await expect(start()).rejects.toThrow(/4_later\.sql, line 1/)
  expect(await versions()).toEqual(['3'])
  write('4_later.sql', 'alter table public.birds add column wingspan int;')
  expect(await start()).toEqual({ applied: ['4_later.sql'] })
})

test('a caller without a superuser receives the advice to start the server', async () => {
  await expect(migrate({ postgres, dir, log })).rejects.toThrow(/Stop the server and run "linnet start"/)
  expect(await versions()).toEqual(['1', '2'])
})
