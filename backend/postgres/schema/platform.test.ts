import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migratePlatform } from './migratePlatform.ts'
import { platformFiles } from './platformFiles.ts'
import type { Pool } from '../connections/pool.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let cluster: TemporaryPostgres
let admin: Pool
let postgres: Pool

beforeAll(async () => {
  cluster = await temporaryPostgres()
  admin = cluster.pool('supabase_admin', 1)
  postgres = cluster.pool('postgres', 1)
})
afterAll(() => cluster?.stop())

/** Tries a statement as postgres, in a transaction that is rolled back. */
async function attempt(sql: string): Promise<string> {
  return postgres
    .withClient(async (client) => {
      await client.query('begin')
      await client.query(sql)
      return 'done'
    })
    .catch((error: { code?: string; message: string }) => `${error.code}: ${error.message}`)
}

test('postgres is no superuser, bypasses row security, and may make roles and databases', async () => {
  const { rows } = await admin.query(
    `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = 'postgres'`,
  )
  expect(rows).toEqual([
    { rolsuper: false, rolbypassrls: true, rolcreaterole: true, rolcreatedb: true, rolreplication: true },
  ])
  expect((await admin.query('select rolname from pg_roles where rolsuper')).rows).toEqual([
    { rolname: 'supabase_admin' },
  ])
})

test('new objects of postgres have the default privileges of hosted', async () => {
  const { rows } = await postgres.withClient(async (client) => {
    await client.query(`begin; create table new_table (id serial);
      create function new_function() returns int language sql as 'select 1'`)
    const found = await client.query(
      `select object, a.grantee::regrole::text as role, string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as granted
       from (select relname::text as object, relowner as owner, relacl as acl from pg_class
             where relname in ('new_table', 'new_table_id_seq')
             union all select proname, proowner, coalesce(proacl, acldefault('f', proowner)) from pg_proc where proname = 'new_function') o,
         aclexplode(o.acl) a
       where a.grantee <> o.owner group by 1, 2 order by 1, 2`,
    )
    await client.query('rollback')
    return found
  })
  const toEach = (object: string, granted: string) =>
    ['anon', 'authenticated', 'service_role'].map((role) => ({ object, role, granted }))
  expect(rows).toEqual([
    { object: 'new_function', role: '-', granted: 'execute' },
    ...toEach('new_table', 'maintain, references, trigger, truncate'),
    ...toEach('new_table_id_seq', 'update'),
  ])
})

test('the data API reads new tables only after a grant', async () => {
  expect(await attempt('create table t (id int); set role service_role; select * from t')).toContain('42501')
  expect(
    await attempt('create table t (id int); grant select on t to anon; set role anon; select * from t'),
  ).toBe('done')
})

test('a database with migrations keeps its own default privileges', async () => {
  const roles = platformFiles().find(({ name }) => name === '10_roles.sql')!.sql
  const { rows } = await admin.withClient(async (client) => {
    await client.query(`begin; create schema supabase_migrations;
      create table supabase_migrations.schema_migrations (version text);
      alter default privileges for role postgres in schema public revoke all on tables from anon;`)
    await client.query(roles)
    const found = await client.query(
      `select from pg_default_acl, aclexplode(defaclacl) a
       where defaclrole = 'postgres'::regrole and defaclobjtype = 'r' and a.grantee = 'anon'::regrole`,
    )
    await client.query('rollback')
    return found
  })
  expect(rows).toEqual([])
})

test('extensions are found without their schema', async () => {
  expect(await attempt(`select digest('a', 'sha256')`)).toBe('done')
  expect(await attempt(`create extension pg_trgm with schema extensions; select show_trgm('a')`)).toBe('done')
})

test('all files may run again on a database that has them', async () => {
  for (const { sql } of platformFiles()) await admin.query(sql)
  expect(await migratePlatform(admin)).toEqual({ applied: [] })
})

test('a file whose text has changed runs again', async () => {
  await admin.query(`update linnet_platform.files set digest = '' where name = '90_guards.sql'`)
  expect(await migratePlatform(admin)).toEqual({ applied: ['90_guards.sql'] })
})

describe('in auth, storage and realtime postgres', () => {
  beforeAll(async () => {
    // Stand-ins of our own, so that these tests need no other file of the platform.
    await admin.query(`
      create table auth.guarded (id int constraint guarded_id unique);
      alter table auth.guarded owner to supabase_auth_admin;
      create function auth.guarded_at() returns trigger language plpgsql as 'begin return new; end';
      alter function auth.guarded_at() owner to supabase_auth_admin;
      create trigger platform_trigger before insert on auth.guarded for each row execute function auth.guarded_at();
      create table realtime.guarded (id int);
      alter table realtime.guarded owner to supabase_realtime_admin`)
  })

  const own = `create function public.f() returns trigger language plpgsql as 'begin return new; end';`
  test.each([
    'create policy "mine" on auth.guarded for select to authenticated using (true)',
    'create policy "mine" on realtime.guarded for select using (true); drop policy "mine" on realtime.guarded',
    `${own} create trigger mine after insert on auth.guarded for each row execute function public.f();
     alter trigger mine on auth.guarded rename to ours; drop trigger ours on auth.guarded`,
    `${own} create constraint trigger mine after insert on auth.guarded deferrable for each row
       execute function public.f(); drop trigger mine on auth.guarded`,
    `${own} create constraint trigger mine after insert on auth.guarded for each row execute function public.f();
     drop function public.f() cascade`,
    `comment on table auth.guarded is 'mine'; comment on schema auth is 'mine'`,
    'create table t (id int); grant select on t to anon; revoke select on t from anon; drop table t',
    'grant usage on schema storage to anon',
    'create table parent (id uuid primary key references auth.users); drop table parent',
    'create temp table x (id int); drop table x',
    'create role someone; drop role someone',
    'set session_replication_role to replica',
  ])('may: %s', async (sql) => {
    expect(await attempt(sql)).toBe('done')
  })

  test.each([
    'create table auth.mine (id int)',
    'create table storage.mine (id int)',
    'create view realtime.mine as select 1',
    `create function auth.mine() returns int language sql as 'select 1'`,
    'create type auth.mine as (a int)',
    'create index on auth.guarded (id)',
    'alter table auth.guarded add column mine int',
    'alter table auth.guarded disable row level security',
    'alter table auth.guarded disable trigger all',
    'alter table auth.guarded owner to postgres',
    'alter table auth.guarded rename to mine',
    'alter table auth.guarded set schema public',
    'alter function auth.guarded_at() set schema public',
    'alter function auth.guarded_at() owner to postgres',
    'create table mine (id int); alter table mine set schema auth',
    'alter schema auth rename to mine',
    'alter schema realtime owner to postgres',
    'drop table auth.guarded',
    'drop function auth.guarded_at() cascade',
    'drop schema auth cascade',
    'drop schema linnet_platform cascade',
    'alter table auth.guarded drop constraint guarded_id',
    'drop trigger platform_trigger on auth.guarded',
    'alter trigger platform_trigger on auth.guarded rename to mine',
    'alter default privileges for role supabase_auth_admin in schema auth grant select on tables to anon',
    'drop owned by supabase_auth_admin',
    'reassign owned by supabase_auth_admin to postgres',
    'reassign owned by supabase_realtime_admin, supabase_storage_admin to supabase_auth_admin',
    'set role supabase_auth_admin; create table auth.mine (id int)',
    `do $$ begin execute 'create table auth.mine (id int)'; end $$`,
    'create rule r as on insert to auth.guarded do instead nothing',
    'create table mine () inherits (auth.guarded)',
    'create table mine (id int); alter table mine inherit auth.guarded',
    'create publication mine for table auth.guarded',
    'alter table auth.guarded rename column id to mine',
    'create role other login in role supabase_auth_admin',
    'alter role supabase_admin password null',
    'alter role supabase_auth_admin superuser',
    'set session_replication_role to replica; create table auth.mine (id int)',
    'set session_replication_role to replica; drop table auth.guarded',
    'grant supabase_admin to anon',
    `alter system set work_mem to '1MB'`,
    'drop event trigger linnet_guard_services',
    'select linnet_platform.refuse(null)',
  ])('may not: %s', async (sql) => {
    expect(await attempt(sql)).toMatch(/^(42501|25001|0LP01)/)
  })
})

describe('a grant on objects of the services', () => {
  beforeAll(async () => {
    await postgres.query('create role reporting; grant reporting to postgres')
    // As if a file of the platform had made the table and the function that stand for those of the services.
    await admin.query('select linnet_platform.record_service_grants()')
  })

  /** Runs statements as postgres and undoes them: their warnings, and the access privileges that they changed. */
  async function grants(...statements: string[]): Promise<{ warnings: string[]; changed: string[] }> {
    return postgres.withClient(async (client) => {
      const warnings: string[] = []
      const onNotice = ({ severity, message }: { severity?: string; message?: string }): void => {
        if (severity === 'WARNING') warnings.push(message!)
      }
      const acls = async (): Promise<string[]> => {
        const { rows } = await client.query<{ line: string }>(`
          select format('%s %s', oid::regclass, item) as line from pg_class, unnest(coalesce(relacl, acldefault('r', relowner))) as item
          where relkind in ('r', 'p')
            and relnamespace in ('auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace)
          union all select format('%s.%s %s', attrelid::regclass, attname, item)
          from pg_attribute join pg_class c on c.oid = attrelid, unnest(attacl) as item
          where relnamespace in ('auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace)
          union all select format('%s %s', oid::regprocedure, item)
          from pg_proc, unnest(coalesce(proacl, acldefault('f', proowner))) as item
          where pronamespace in ('auth'::regnamespace, 'storage'::regnamespace)
          union all select format('%s %s', oid::regtype, item)
          from pg_type, unnest(coalesce(typacl, acldefault('T', typowner))) as item
          where typnamespace = 'auth'::regnamespace and typtype = 'e'
          union all select format('schema %s %s', nspname, item) from pg_namespace, unnest(nspacl) as item
          where nspname in ('auth', 'storage', 'realtime')`)
        return rows.map(({ line }) => line)
      }
      client.on('notice', onNotice)
      try {
        await client.query('begin')
        const before = await acls()
        for (const statement of statements) await client.query(statement)
        const after = await acls()
        return {
          warnings,
          changed: [
            ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
            ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
          ],
        }
      } finally {
        await client.query('rollback')
        client.off('notice', onNotice)
      }
    })
  }

  test.each([
    ['grant select, insert on storage.objects to reporting', 'storage.objects reporting=ar/postgres'],
    [
      'grant update on storage.buckets to reporting with grant option',
      'storage.buckets reporting=w*/postgres',
    ],
    ['grant select (name) on storage.objects to reporting', 'storage.objects.name reporting=r/postgres'],
    ['grant select on auth.users to reporting', 'auth.users reporting=r/postgres'],
    ['grant usage on schema storage to reporting', 'schema storage reporting=U/postgres'],
    [
      `do $$ begin execute 'grant select on storage.objects to reporting'; end $$`,
      'storage.objects reporting=r/postgres',
    ],
  ])('takes effect as on hosted, and can be revoked: %s', async (grant, item) => {
    expect(await grants(grant)).toEqual({ warnings: [], changed: [`+ ${item}`] })
    const revoke = grant.replace(/grant (\w)/, 'revoke $1').replace(' to reporting', ' from reporting')
    expect(await grants(grant, revoke.replace(' with grant option', ''))).toEqual({
      warnings: [],
      changed: [],
    })
  })

  test.each([
    ['grant select on auth.guarded to anon', 'table auth.guarded'],
    ['grant select (id) on auth.guarded to anon', 'table auth.guarded'],
    ['grant insert on auth.users to reporting', 'table auth.users'],
    ['grant select on storage.migrations to public', 'table storage.migrations'],
    ['grant all on storage.s3_multipart_uploads to anon', 'table storage.s3_multipart_uploads'],
    ['grant execute on function auth.guarded_at() to anon', 'routine auth.guarded_at()'],
    ['grant usage on type auth.aal_level to anon', 'type auth.aal_level'],
    ['grant usage on schema auth to reporting', 'schema auth'],
    ['grant create on schema auth to postgres', 'schema auth'],
    ['grant all on auth.guarded to anon with grant option', 'table auth.guarded'],
  ])('has no effect but a warning where hosted does not allow it: %s', async (grant, target) => {
    expect(await grants(grant)).toEqual({
      warnings: [`no privileges were granted for ${target}`],
      changed: [],
    })
  })

  test.each([
    ['revoke all on storage.objects from anon'],
    ['revoke all on storage.objects from postgres'],
    ['revoke all on storage.objects from supabase_storage_admin'],
    ['revoke grant option for select on storage.objects from postgres cascade'],
    ['revoke delete on auth.users from postgres', 'table auth.users'],
    ['revoke all on auth.users from supabase_auth_admin', 'table auth.users'],
    ['revoke execute on function auth.uid() from public', 'routine auth.uid()'],
    ['revoke usage on type auth.aal_level from public', 'type auth.aal_level'],
    ['revoke usage on schema auth from anon', 'schema auth'],
    ['drop owned by anon', 'table storage.s3_multipart_uploads', 'schema auth'],
  ])('of the platform stays: %s', async (revoke, ...warned) => {
    const { warnings, changed } = await grants(revoke)
    expect(changed).toEqual([])
    const own = warned.map((target) => `no privileges could be revoked for ${target}`)
    expect(warnings.filter((warning) => own.includes(warning))).toEqual(own)
  })

  test('takes effect for the objects of the project that the same statement names', async () => {
    expect(
      await grants(
        'create table public.mine (id int)',
        'grant select on public.mine, auth.guarded, storage.objects to reporting',
        `do $$ begin
           if not has_table_privilege('reporting', 'public.mine', 'select') then raise 'not granted'; end if;
         end $$`,
      ),
    ).toEqual({
      warnings: ['no privileges were granted for table auth.guarded'],
      changed: ['+ storage.objects reporting=r/postgres'],
    })
  })

  test('runs nothing of a project as a superuser', async () => {
    expect(
      await grants(
        `create function public.on_grant() returns event_trigger language plpgsql as
           $$ begin raise warning '% as %', tg_tag, current_user; end $$`,
        `select linnet_platform.create_event_trigger('a', 'ddl_command_start', null, 'public.on_grant')`,
        `select linnet_platform.create_event_trigger('z', 'ddl_command_end', null, 'public.on_grant')`,
        'grant select on auth.guarded to anon',
      ),
    ).toEqual({
      warnings: [
        'GRANT as postgres',
        'no privileges were granted for table auth.guarded',
        'GRANT as postgres',
      ],
      changed: [],
    })
  })

  test('stays granted by the project when the platform is brought up to date', async () => {
    await postgres.query('grant select on storage.objects to reporting')
    await admin.query(`update linnet_platform.files set digest = '' where name = '30_storage.sql'`)
    await migratePlatform(admin)
    expect(await grants('revoke select on storage.objects from reporting')).toEqual({
      warnings: [],
      changed: ['- storage.objects reporting=r/postgres'],
    })
    await postgres.query('revoke select on storage.objects from reporting')
  })
})

test('a change of the schema is announced to REST, one of the platform is not', async () => {
  await admin.withClient(async (client) => {
    const notifications: string[] = []
    client.on('notification', (message) => notifications.push(`${message.channel}: ${message.payload}`))
    await client.query('listen pgrst')
    await postgres.query('create table announced (id int)')
    await client.query('select 1')
    expect(notifications).toEqual(['pgrst: reload schema'])
    await postgres.query('create policy "mine" on auth.guarded for select using (true)')
    await client.query('select 1')
    expect(notifications).toHaveLength(1)
    await postgres.query('drop table announced')
    await client.query('select 1')
    expect(notifications).toHaveLength(2)
    // What a value or a list of rows is written as goes with its cast or aggregate alone.
    await postgres.query(`create domain shade as int;
      create function written(shade) returns json language sql immutable as 'select to_json($1)';
      create cast (shade as json) with function written(shade) as implicit;
      create aggregate last_of(int) (sfunc = pg_catalog.int4larger, stype = int)`)
    await client.query('select 1')
    for (const dropped of ['cast (shade as json)', 'aggregate last_of(int)']) {
      notifications.length = 0
      await postgres.query(`drop ${dropped}`)
      await client.query('select 1')
      expect([dropped, notifications]).toEqual([dropped, ['pgrst: reload schema']])
    }
    await postgres.query('drop domain shade cascade')
    await client.query('unlisten *')
  })
})
