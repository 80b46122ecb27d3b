import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { migrate } from './migrate.ts'
import type { Pool } from '../connections/pool.ts'
import { startPostgres } from '../server/startPostgres.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let postgres: TemporaryPostgres
let admin: Pool
let dir: string
let lines: string[]

beforeAll(async () => {
  postgres = await temporaryPostgres()
  admin = postgres.pool('supabase_admin', 1)
})
afterAll(() => postgres?.stop())
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-supabase-'))
  mkdirSync(join(dir, 'migrations'))
  lines = []
})
afterEach(async () => {
  rmSync(dir, { recursive: true })
  await admin.query('drop schema if exists supabase_migrations cascade')
  await admin.query('drop schema public cascade; create schema public authorization pg_database_owner')
})

const write = (name: string, sql: string): void => writeFileSync(join(dir, 'migrations', name), sql)
const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })
const run = (seed = false): Promise<{ applied: string[] }> => migrate({ postgres, dir, seed, log })
const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  )
const tables = async (): Promise<string[]> => {
  const { rows } = await admin.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  return rows.map((row) => row.name)
}

test('migrations run in order, once, as postgres, and are recorded as the CLI does', async () => {
  write('2_second.sql', 'alter table people add name text;')
  write('1_first.sql', '-- people\ncreate table people (id int);\ncreate index on people (id);')
  write('notes.sql', 'select 1')
  expect(await run()).toEqual({ applied: ['1_first.sql', '2_second.sql'] })
  expect(lines.join('\n')).toContain('notes.sql')
  const { rows } = await admin.query('select * from supabase_migrations.schema_migrations order by version')
  expect(rows).toEqual([
    {
      version: '1',
      name: 'first',
      statements: ['-- people\ncreate table people (id int)', 'create index on people (id)'],
    },
    { version: '2', name: 'second', statements: ['alter table people add name text'] },
  ])
  expect((await admin.query(`select tableowner from pg_tables where tablename = 'people'`)).rows).toEqual([
    { tableowner: 'postgres' },
  ])
  expect(await run()).toEqual({ applied: [] })
})

test('a failing one names file, line, statement and reason, and leaves the schema before it', async () => {
  write('1_good.sql', 'create table good (id int);')
  write(
    '2_bad.sql',
    'create table half (id int);\n\n-- Это\nalter table good\n  add column x int references nobody;\n',
  )
  const message = await failure(run())
  expect(message).toContain('2_bad.sql, line 4: relation "nobody" does not exist (42P01)')
  expect(message).toContain('In statement 2 of 2:')
  expect(message).toContain('Nothing of this file was applied')
  expect(await tables()).toEqual(['good'])
  write('2_bad.sql', 'create table whole (id int);')
  expect(await run()).toEqual({ applied: ['2_bad.sql'] })
  expect(await tables()).toEqual(['good', 'whole'])
})

test('the line is that of the fault where the server points at one', async () => {
  write('1_bad.sql', '-- а\n\nselect 1;\n-- б\nselect\n  1,\n  nothing;')
  expect(await failure(run())).toContain('1_bad.sql, line 7: column "nothing" does not exist')
})

test('a fault that shows at the commit leaves nothing either', async () => {
  write(
    '1_late.sql',
    'create table a (id int primary key, b int references a deferrable initially deferred); insert into a values (1, 2)',
  )
  expect(await failure(run())).toContain('1_late.sql: insert or update on table "a" violates')
  expect(await tables()).toEqual([])
})

test('what PostgreSQL refuses in a transaction runs outside, with a notice', async () => {
  write(
    '1_index.sql',
    'create table a (id int); create index concurrently on a (id); create table b (id int);',
  )
  await run()
  expect(await tables()).toEqual(['a', 'b'])
  expect(lines.join('\n')).toContain('CREATE INDEX CONCURRENTLY ON runs outside of a transaction')
})

test('a transaction block around a whole file is the transaction of the file', async () => {
  write('1_block.sql', 'begin; create table a (id int); select nothing; commit;')
  expect(await failure(run())).toContain('Nothing of this file was applied')
  expect(await tables()).toEqual([])
  write(
    '1_block.sql',
    'begin; savepoint s; create table a (id int); rollback to s; create table b (id int); commit;',
  )
  await run()
  expect(await tables()).toEqual(['b'])
})

test('a COMMIT within a file commits as in psql, and the next try continues after it', async () => {
  const first = `create type colour as enum ('red'); create table t (c colour);
    begin isolation level serializable; alter type colour add value 'blue'; commit;
    set search_path = 'public'; begin; insert into t values ('blue'); commit; begin; `
  write('1_values.sql', `${first} insert into t values ('green'); commit;`)
  expect(await failure(run())).toMatch(
    /invalid input value for enum colour: "green"[^]*The first 9 statements are committed/,
  )
  const stored = async (): Promise<unknown> => (await admin.query('select c from public.t order by c')).rows
  expect(await stored()).toEqual([{ c: 'blue' }])
  write('1_values.sql', `${first} insert into t values ('red'); commit;`)
  await run()
  expect(await stored()).toEqual([{ c: 'red' }, { c: 'blue' }])
  const left = await admin.query('select from supabase_migrations.partial_files')
  expect(left.rowCount).toBe(0)
})

test.each([
  'create table a (id int); commit; begin; create table b (id int); rollback;',
  'create table a (id int); commit; create table b (id int); abort',
  `begin; create table a (id int); prepare transaction 'a';`,
])('a file with a rollback is refused before anything of it runs: %s', async (sql) => {
  write('1_a.sql', sql)
  expect(await failure(run())).toMatch(/1_a.sql, line 1: A migration can not contain ROLLBACK[^]*Nothing of/)
  expect(await tables()).toEqual([])
})

test.each(['create unique index concurrently one on t (id)', 'create unique index concurrently on t (id)'])(
  'a second try after a failed index does not insert again: %s',
  async (index) => {
    const first = `create table t (id int); set role postgres; insert into t values (1), (1);`
    write('1_index.sql', `${first} ${index}; insert into t values (3);`)
    expect(await failure(run())).toContain('could not create unique index')
    write(
      '1_index.sql',
      `${first} update t set id = 2 where ctid = '(0,2)'; ${index}; insert into t values (3);`,
    )
    await run()
    expect((await admin.query('select id from t order by id')).rows).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ])
    const { rows } = await admin.query(
      `select indisvalid as valid from pg_index where indrelid = 't'::regclass`,
    )
    expect(rows).toEqual([{ valid: true }])
  },
)

test('committed statements that changed before the next try are refused', async () => {
  write('1_a.sql', 'create table a (id int); commit; select nothing; select 1;')
  await failure(run())
  write('1_a.sql', 'create table b (id int); commit; select 1; select 1;')
  expect(await failure(run())).toContain('the first 2 statements, and they have changed since')
  expect(await tables()).toEqual(['a'])
})

test('one file does not change the session of the next', async () => {
  write('1_dump.sql', `select set_config('search_path', '', false); set role anon;`)
  write('2_next.sql', 'create table found (id int);')
  await run()
  expect(await tables()).toEqual(['found'])
})

test('a migration older than the last one is refused, as is a database that knows more', async () => {
  write('1_a.sql', 'select 1;')
  write('3_c.sql', 'select 1;')
  await run()
  write('2_b.sql', 'create table b (id int);')
  expect(await failure(run())).toContain('2_b.sql is older than 3')
  expect(await tables()).toEqual([])
  rmSync(join(dir, 'migrations', '2_b.sql'))
  rmSync(join(dir, 'migrations', '3_c.sql'))
  expect(await failure(run())).toContain('migrations that the folder lacks: 3')
})

test('a database that was created by other migrations is refused in a sentence that names the first of them', async () => {
  for (const version of [1, 2, 3, 4, 5]) write(`${version}_old.sql`, 'select 1;')
  await run()
  for (const version of [1, 2, 3, 4, 5]) rmSync(join(dir, 'migrations', `${version}_old.sql`))
  write('6_baseline.sql', 'create table a (id int);')
  expect(await failure(run())).toBe(
    'The database has migrations that the folder lacks: 1, 2, 3 and 2 more. ' +
      'Restore the files, use the version or branch that created the database, or choose another data folder.',
  )
  expect(await tables()).toEqual([])
})

test('two files with one version are refused before anything runs', async () => {
  write('1_a.sql', 'create table a (id int);')
  write('1_b.sql', 'create table b (id int);')
  expect(await failure(run())).toContain('two migrations have the version 1.')
  expect(await tables()).toEqual([])
})

test('seed.sql runs once, with the first migrations, when asked for', async () => {
  write('1_a.sql', 'create table a (id int);')
  writeFileSync(join(dir, 'seed.sql'), 'insert into a values (1); insert into b values (1);')
  expect(await failure(run(true))).toContain('seed.sql, line 1: relation "b" does not exist')
  expect((await admin.query('select * from a')).rowCount).toBe(0)
  writeFileSync(join(dir, 'seed.sql'), 'insert into a values (1);')
  await run(true)
  await run(true)
  expect((await admin.query('select * from a')).rows).toEqual([{ id: 1 }])
})

test('data that began without the seed never get it', async () => {
  write('1_a.sql', 'create table a (id int);')
  writeFileSync(join(dir, 'seed.sql'), 'insert into a values (1);')
  await run()
  await run(true)
  expect((await admin.query('select * from a')).rowCount).toBe(0)
})

test('grants of a dump on objects of the services take effect where hosted allows them, else are warned of', async () => {
  write(
    '1_dump.sql',
    `create role reporting;
     grant delete on table "storage"."objects" to "reporting";
     grant all on table "auth"."mfa_factors" to "anon";
     revoke delete on table "auth"."users" from "postgres";
     grant usage on schema auth, storage to reporting;
     grant select on table "storage"."vector_indexes" to "anon";
     create table mine (id int);
     grant select on all tables in schema public, auth to reporting;`,
  )
  await run()
  const { rows } = await admin.query(
    `select name, privilege, has_table_privilege('reporting', name, privilege) as granted from (values
       ('storage.objects', 'delete'), ('public.mine', 'select'), ('auth.mfa_factors', 'insert'), ('auth.users', 'select')
     ) as wanted (name, privilege)
     union all select 'schema ' || name, 'usage', has_schema_privilege('reporting', name, 'usage')
     from unnest(array['auth', 'storage']) as name`,
  )
  expect(rows).toEqual([
    { name: 'storage.objects', privilege: 'delete', granted: true },
    { name: 'public.mine', privilege: 'select', granted: true },
    { name: 'auth.mfa_factors', privilege: 'insert', granted: false },
    { name: 'auth.users', privilege: 'select', granted: true },
    { name: 'schema auth', privilege: 'usage', granted: false },
    { name: 'schema storage', privilege: 'usage', granted: true },
  ])
  expect(
    (await admin.query(`select has_table_privilege('anon', 'auth.mfa_factors', 'select') as granted`)).rows,
  ).toEqual([{ granted: false }])
  const notices = lines.filter((line) => line.includes('schema.migration_notice'))
  expect(notices.map((line) => /line \d+: [^.]*(?:\.\w[^.]*)*/.exec(line)![0])).toEqual([
    'line 3: no privileges were granted for table auth.mfa_factors',
    'line 4: no privileges could be revoked for table auth.users',
    'line 5: no privileges were granted for schema auth',
    'line 6: GRANT SELECT ON TABLE … is skipped: Linnet has no such table',
  ])
})

test('extensions and event triggers of foreign migrations are made for postgres', async () => {
  write(
    '1_foreign.sql',
    `create extension if not exists "pg_stat_statements" with schema "extensions";
     create extension if not exists pg_stat_statements with schema extensions;
     create extension if not exists pg_graphql with schema graphql;
     comment on extension pg_stat_statements is 'counts';
     create table log (tag text);
     create function on_ddl() returns event_trigger language plpgsql as $$ begin insert into log values (tg_tag); end $$;
     create event trigger watch on ddl_command_end when tag in ('CREATE TABLE', 'DROP TABLE') execute function on_ddl();
     comment on event trigger watch is 'watches';
     create table later (id int);
     alter event trigger watch disable;
     create table unseen (id int);
     drop event trigger if exists nothing;
     drop event trigger watch;
     drop extension pg_stat_statements;
     create extension postgres_fdw with schema extensions;
     create server elsewhere foreign data wrapper postgres_fdw options (dbname 'other');
     create foreign table far (id int) server elsewhere;
     create foreign data wrapper further handler postgres_fdw_handler validator extensions.postgres_fdw_validator;
     create server far_away foreign data wrapper further;
     grant usage on foreign data wrapper postgres_fdw to service_role;
     drop foreign data wrapper further cascade;
     drop extension postgres_fdw cascade;`,
  )
  await run()
  expect((await admin.query('select * from log')).rows).toEqual([{ tag: 'CREATE TABLE' }])
  expect(lines.join('\n')).toContain('pg_graphql is not part of this PostgreSQL')
})

test('an available extension is created, and an unavailable one or version is reported', async () => {
  write(
    '1_extensions.sql',
    `create extension citext version '0.1';
     alter extension citext set schema extensions;
     alter extension citext update to '9';
     create extension pg_net;
     drop extension if exists pgjwt;
     create extension if not exists "pgjwt" with schema "extensions" version '0.1.0';
     create extension if not exists pgsodium;
     create table here (id extensions.citext);`,
  )
  await run()
  const output = lines.join('\n')
  expect(output).toContain('line 1: the extension citext has no version 0.1 here; this is ')
  expect(output).toContain('line 4: the extension pg_net is installed already.')
  expect(output).toContain('line 6: the extension pgjwt has no version 0.1.0 here; this is 0.2.0.')
  expect(output).toContain('line 7: the extension pgsodium is not part of this PostgreSQL and is skipped.')
})

test('an extension that no later statement uses is skipped', async () => {
  write(
    '1_extensions.sql',
    `create extension if not exists http with schema extensions; create extension pg_jsonschema; create extension vector;
     create extension pg_buffercache;
     create function send() returns bigint language sql as $$ select net.http_post('http://localhost', '{}') $$;
     create table hooks (id int);
     create trigger hook after insert on hooks execute function supabase_functions.http_request('http://localhost', 'POST');`,
  )
  write('2_later.sql', 'create extension if not exists vector;')
  await run()
  const output = lines.join('\n')
  for (const name of ['http', 'pg_jsonschema', 'vector'])
    expect(output).toContain(
      `line 1: the extension ${name} is not part of this PostgreSQL and is skipped, as no later statement`,
    )
  expect(output).toContain('hosted Supabase does not allow the extension pg_buffercache, which is skipped.')
})

test('grants on functions of a skipped extension are skipped, and other grants are not', async () => {
  write(
    '1_grants.sql',
    `create extension if not exists pgaudit with schema public; create extension if not exists http with schema public;
     create table public.vector (id int); create role grantee;
     grant all on function "public"."pgaudit_sql_drop"() to "anon";
     revoke all on function public.http_get(text) from public;
     grant usage on schema graphql to anon;
     grant select on public.vector to grantee;`,
  )
  try {
    await run()
    const output = lines.join('\n')
    for (const name of ['pgaudit', 'http', 'pg_graphql'])
      expect(output).toContain(`is skipped: the object belongs to the missing extension ${name}.`)
    const { rows } = await admin.query(
      `select has_table_privilege('grantee', 'public.vector', 'select') as granted`,
    )
    expect(rows).toEqual([{ granted: true }])
    write('2_wrong.sql', 'grant select on public.vector to nobody;')
    expect(await failure(run())).toContain('role "nobody" does not exist')
  } finally {
    await admin.query('drop table if exists public.vector; drop role if exists grantee')
  }
})

test('a warning that several statements and rows of a file cause is logged once', async () => {
  write(
    '1_warn.sql',
    `create table a (id int);
     create function warn() returns trigger language plpgsql as $$ begin raise warning 'no secret'; return new; end $$;
     create trigger warn before insert on a for each row execute function warn();
     insert into a select generate_series(1, 3);
     insert into a values (4);`,
  )
  await run()
  expect(lines.filter((line) => line.includes('no secret'))).toHaveLength(1)
})

test('an extension that only a later migration or a seed uses is missing', async () => {
  write('1_extensions.sql', 'create extension http;')
  write(
    '2_later.sql',
    `create function status() returns int language sql as 'select status from http_get(''x'')';`,
  )
  expect(await failure(run())).toContain(
    '1_extensions.sql, line 1: The extension http is not part of this PostgreSQL',
  )
  write('2_later.sql', 'select 1;')
  writeFileSync(join(dir, 'seed.sql'), `select extensions.http_get('x');`)
  expect(await failure(run(true))).toContain('The extension http is not part of this PostgreSQL')
})

test('publications of all tables and of schemas are made for postgres, and the services still write', async () => {
  write(
    '1_publications.sql',
    `drop publication if exists supabase_realtime;
     create publication supabase_realtime for all tables with (publish = 'insert, update, delete');
     create publication of_schema for tables in schema public, tables in schema extensions;
     alter publication of_schema drop tables in schema extensions;
     alter publication of_schema set (publish = 'insert');
     alter publication of_schema add tables in schema auth;
     create role reporter;
     create table a (id int primary key);
     update a set id = 2;
     grant select on storage.objects to reporter;
     revoke select on storage.objects from reporter;`,
  )
  try {
    await run()
    const { rows } = await admin.query(
      `select pubname as name, pubowner::regrole::text as owner, puballtables as all,
         array(select pnnspid::regnamespace::text from pg_publication_namespace where pnpubid = p.oid order by 1) as schemas
       from pg_publication p where pubname in ('supabase_realtime', 'of_schema') order by 1`,
    )
    expect(rows).toEqual([
      { name: 'of_schema', owner: 'postgres', all: false, schemas: ['auth', 'public'] },
      { name: 'supabase_realtime', owner: 'postgres', all: true, schemas: [] },
    ])
    // An UPDATE or DELETE of a published table without a key fails.
    const keyless = await admin.query(
      `select format('%s.%s', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and c.relpersistence = 'p' and c.oid >= 16384 and n.nspname <> 'public'
         and c.relreplident = 'd' and not exists (select from pg_index where indrelid = c.oid and indisprimary)`,
    )
    expect(keyless.rows).toEqual([])
    write(
      '2_other.sql',
      'alter publication supabase_realtime_messages_publication add tables in schema public;',
    )
    expect(await failure(run())).toContain(
      'must be owner of publication supabase_realtime_messages_publication',
    )
  } finally {
    await admin.query(`drop publication if exists of_schema; drop publication if exists supabase_realtime;
      drop role if exists reporter;
      create publication supabase_realtime; alter publication supabase_realtime owner to postgres`)
  }
})

test('privileged statements within a DO block are run, skipped or refused like outside of one', async () => {
  write(
    '1_do.sql',
    `do $$ begin
       if not exists (select from pg_extension where extname = 'ltree') then create extension ltree schema extensions; end if;
       execute 'create extension if not exists "hstore" with schema extensions';
       create extension if not exists pgsodium;
       create extension if not exists pg_tle;
       create extension if not exists xml2;
     exception when others then raise;
     end $$;
     do language plpgsql 'begin
       create publication everything for all tables; comment on extension ltree is ''it''''s \trees'';
       create table public.made (path extensions.ltree, pairs extensions.hstore);
       drop publication everything;
     end';
     drop extension hstore cascade;
     do $body$ begin drop extension if exists ltree cascade; end $body$;`,
  )
  await run()
  expect(await tables()).toEqual(['made'])
  const output = lines.join('\n')
  for (const name of ['pgsodium', 'pg_tle', 'xml2'])
    expect(output).toMatch(new RegExp(`line 1: .*the extension ${name}\\b.* is skipped`))
  write('2_do.sql', 'do $$ begin create extension vector; create table v (e vector); end $$;')
  expect(await failure(run())).toContain(
    'The extension vector is not part of this PostgreSQL: vector columns',
  )
  write('2_do.sql', 'do $$ begin create extension pageinspect; end $$;')
  expect(await failure(run())).toContain('permission denied to create extension "pageinspect"')
})

test('a migration can use the schema graphql_public', async () => {
  write(
    '1_graphql.sql',
    `create schema if not exists graphql_public;
     grant usage on schema "graphql_public" to anon, authenticated, service_role;
     alter default privileges for role postgres in schema graphql_public grant all on functions to anon;
     create table responses as select graphql_public.graphql(query => '{ __typename }')::text as response;`,
  )
  await run()
  expect((await admin.query('select * from public.responses')).rows).toEqual([
    { response: '{"errors": [{"message": "pg_graphql extension is not enabled."}]}' },
  ])
})

test('an event trigger of a migration never runs as superuser', async () => {
  write(
    '1_climb.sql',
    `create function climb() returns event_trigger language plpgsql as $$
       begin if current_user = 'supabase_admin' then alter role postgres superuser; end if; end $$;
     create event trigger climb on ddl_command_end execute function climb();
     create event trigger climb_before on ddl_command_start execute function climb();
     create extension ltree;
     comment on extension ltree is 'trees';
     drop extension ltree;
     create table a (id int);`,
  )
  await run()
  await admin.query('create table by_admin (id int)')
  expect((await admin.query(`select rolsuper from pg_roles where rolname = 'postgres'`)).rows).toEqual([
    { rolsuper: false },
  ])
  write('2_down.sql', 'drop event trigger climb; drop event trigger climb_before; drop function climb();')
  await run()
})

test.each([
  ['create extension ltree schema auth', 'belongs to the platform'],
  ['create extension pageinspect', 'permission denied to create extension "pageinspect"'],
  ['create extension nothing', 'permission denied to create extension "nothing"'],
  [
    'create extension vector; create table v (e vector(3));\ncreate index on v using hnsw (e vector_l2_ops)',
    'The extension vector is not part of this PostgreSQL: vector columns and similarity search need it. In this file, lines 1, 2 use it. Install it for PostgreSQL 18 (package postgresql-18-pgvector of apt.postgresql.org) and start again; "Extensions" in docs/jobs.md lists where Linnet looks for it.',
  ],
  [
    `create extension pg_partman; select partman.create_parent('v')`,
    '(package postgresql-18-partman of apt.postgresql.org)',
  ],
  [
    `create extension http; select http_get('x');\ncreate extension if not exists vector; create table v (e vector)`,
    'In this file, line 1 uses it. Install it for PostgreSQL 18 (package postgresql-18-http of apt.postgresql.org) and start again; "Extensions" in docs/jobs.md lists where Linnet looks for it. The project also needs vector (package postgresql-18-pgvector of apt.postgresql.org).',
  ],
  [
    `select pgtle.install_extension('x')`,
    'It belongs to the extension pg_tle, which is not part of this PostgreSQL.',
  ],
  ['create table v (e vector(3))', '(package postgresql-18-pgvector of apt.postgresql.org)'],
  ['reassign owned by supabase_auth_admin to postgres', 'permission denied to change owner of event trigger'],
  [
    `create extension postgres_fdw; create function climb(text[], oid) returns void language plpgsql as
       $$ begin alter role postgres superuser; end $$;
     create foreign data wrapper mine handler postgres_fdw_handler validator climb`,
    'permission denied to create foreign-data wrapper "mine"',
  ],
  ['drop event trigger linnet_guard_services', 'belongs to the platform'],
  ['alter event trigger pgrst_ddl_watch disable', 'belongs to the platform'],
  ['alter event trigger pgrst_ddl_watch owner to postgres', 'must be owner'],
])('%s is refused', async (sql, reason) => {
  write('1_a.sql', sql)
  expect(await failure(run())).toContain(reason)
})

test('data that exist are copied before their schema changes', async () => {
  const own = await temporaryPostgres()
  write('1_a.sql', 'create table a (id int);')
  await migrate({ postgres: own, dir, log })
  const again = async (): Promise<string[]> => {
    const backups: string[] = []
    const restarted = await startPostgres({
      dataDir: own.dataDir,
      backUpBeforeMigrationsOf: dir,
      onBackup: (folder) => backups.push(folder),
    })
    await restarted.stop()
    return backups
  }
  await own.stopKeepingData()
  expect(await again()).toEqual([])
  write('2_b.sql', 'create table b (id int);')
  const [copy] = await again()
  expect(existsSync(join(copy!, 'postgres', 'PG_VERSION'))).toBe(true)
  await own.stop()
})

test('several seeds go on where one failed, and run no more once they ran', async () => {
  write('1_a.sql', 'create table a (id int); grant select on a to anon;')
  writeFileSync(join(dir, 'config.toml'), '[db.seed]\nsql_paths = ["./b.sql", "./a.sql"]')
  writeFileSync(join(dir, 'b.sql'), 'insert into a values (1);')
  writeFileSync(join(dir, 'a.sql'), 'insert into c values (2);')
  expect(await failure(run(true))).toContain('supabase/a.sql, line 1: relation "c" does not exist')
  writeFileSync(join(dir, 'a.sql'), 'insert into a values (2);')
  await run(true)
  lines = []
  writeFileSync(join(dir, 'a.sql'), 'insert into a values (3);')
  writeFileSync(join(dir, 'b2.sql'), 'insert into a values (4);')
  writeFileSync(join(dir, 'config.toml'), '[db.seed]\nsql_paths = ["./b*.sql", "./a.sql", "./gone/*.sql"]')
  await run(true)
  expect((await admin.query('select id from a order by 1')).rows).toEqual([{ id: 1 }, { id: 2 }])
  expect(lines).toEqual([
    expect.stringContaining('gone'),
    expect.stringMatching(/supabase\/b2\.sql.*added after the database was created/),
    expect.stringMatching(/supabase\/a\.sql.*changed after it ran/),
  ])
  lines = []
  await run(true)
  expect(lines).toHaveLength(2)
})

test('roles.sql runs once, before the first migration, and missing table grants are reported', async () => {
  writeFileSync(join(dir, 'roles.sql'), 'create role reader_of_this_test;')
  writeFileSync(join(dir, 'config.toml'), '[api]\nauto_expose_new_tables = false')
  write('1_a.sql', 'create table a (id int);')
  try {
    await run()
    await run()
    expect(lines.join('\n')).toMatch(/schema\.tables_not_granted.*auto_expose_new_tables/)
    writeFileSync(join(dir, 'config.toml'), '[api]\nauto_expose_new_tables = true')
    write('2_b.sql', 'create table b (id int); grant select on a to reader_of_this_test')
    lines = []
    await run()
    expect(lines.join('\n')).not.toContain('schema.tables_not_granted')
    const { rows } = await admin.query(`select has_table_privilege('anon', 'b', 'select') as may`)
    expect(rows).toEqual([{ may: true }])
  } finally {
    await admin.query(`drop owned by reader_of_this_test; drop role reader_of_this_test;
      alter default privileges for role postgres in schema public
        revoke all on tables from anon, authenticated, service_role;`)
  }
})

test('an unset auto_expose_new_tables exposes the tables of new data, and keeps a later choice of the project', async () => {
  write('1_a.sql', 'create table a (id serial); create function f() returns int language sql return 1;')
  const reachable = async (): Promise<unknown[]> =>
    (
      await admin.query(`select role, relname as name from pg_class c, unnest(array['anon', 'service_role']) as role
        where relnamespace = 'public'::regnamespace and relkind = 'r'
          and has_table_privilege(role, c.oid, 'select, insert, update, delete') order by 2, 1`)
    ).rows
  try {
    await run()
    expect(await reachable()).toEqual([
      { role: 'anon', name: 'a' },
      { role: 'service_role', name: 'a' },
    ])
    const { rows } =
      await admin.query(`select has_sequence_privilege('anon', 'a_id_seq', 'usage') as sequence,
      has_function_privilege('anon', 'f()', 'execute') as function`)
    expect(rows).toEqual([{ sequence: true, function: true }])
    write(
      '2_b.sql',
      'alter default privileges for role postgres in schema public revoke all on tables from anon;',
    )
    await run()
    write('3_c.sql', 'create table c (id int);')
    await run()
    expect(await reachable()).not.toContainEqual({ role: 'anon', name: 'c' })
    expect(await reachable()).toContainEqual({ role: 'service_role', name: 'c' })
  } finally {
    for (const kind of ['tables', 'sequences', 'functions'])
      await admin.query(`alter default privileges for role postgres in schema public
        revoke all on ${kind} from anon, authenticated, service_role`)
  }
})

test('declarative schemas without a migration are reported and not applied', async () => {
  mkdirSync(join(dir, 'schemas'))
  writeFileSync(join(dir, 'schemas', 'all.sql'), 'create table a (id int);')
  await run()
  expect(await tables()).toEqual([])
  expect(lines.join('\n')).toMatch(/schema\.declarations_ignored/)
})

test('a project without migrations, or with them switched off, starts', async () => {
  write('1_a.sql', 'create table a (id int);')
  writeFileSync(join(dir, 'config.toml'), '[db.migrations]\nenabled = false')
  expect(await run()).toEqual({ applied: [] })
  expect(await tables()).toEqual([])
})

test('row security of storage that is on already may be switched on', async () => {
  write(
    '1_policies.sql',
    `ALTER TABLE IF EXISTS ONLY "storage"."objects" ENABLE ROW LEVEL SECURITY;
     create policy "seen by all" on storage.objects for select using (true);
     drop policy "seen by all" on storage.objects;`,
  )
  await run()
  write('2_off.sql', 'alter table storage.objects disable row level security;')
  expect(await failure(run())).toContain('belongs to the platform')
})

test('rows of a copy are taken, and a wrong one is named', async () => {
  write('1_a.sql', 'create table a (id int, note text);')
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i}\tnote ${i}; it''s $$`)
  writeFileSync(join(dir, 'seed.sql'), ['copy a from stdin;', ...rows, 'x\ty', '\\.', 'select 1;'].join('\n'))
  expect(await failure(run(true))).toMatch(
    /seed\.sql, line 1: invalid input syntax for type integer: "x"[^]*COPY a, line 20001, column id/,
  )
  writeFileSync(
    join(dir, 'seed.sql'),
    ['copy a from stdin;', ...rows, '\\.', 'delete from a where id = 7;'].join('\n'),
  )
  await run(true)
  expect((await admin.query('select count(*)::int as n from a')).rows).toEqual([{ n: 19_999 }])
})

test('two at once take turns: each migration is applied by one of them', async () => {
  write('1_a.sql', 'create table a (id int); select pg_sleep(0.2);')
  write('2_b.sql', 'create table b (id int);')
  const applied = await Promise.all([run(), run(), run()])
  expect(applied.flatMap((one) => one.applied).sort()).toEqual(['1_a.sql', '2_b.sql'])
})
