import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Pool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'

let postgres: TemporaryPostgres
let owner: Pool

/** Attacks of postgres, each undone: what ran, and in whose name. */
async function ranAs(...statements: string[]): Promise<string[]> {
  return owner.withClient(async (client) => {
    const ran: string[] = []
    const onNotice = ({ message }: { message?: string }): void => {
      if (message?.startsWith('ran as ')) ran.push(message.slice('ran as '.length))
    }
    client.on('notice', onNotice)
    try {
      await client.query('begin')
      for (const statement of statements) await client.query(statement)
    } catch (error) {
      ran.push((error as Error).message)
    } finally {
      await client.query('rollback')
      client.off('notice', onNotice)
    }
    return [...new Set(ran)]
  })
}

const teller = `create function public.tell() returns trigger language plpgsql as
  $$ begin raise notice 'ran as %', current_user; return new; end $$`

const triggerOn = (table: string): string =>
  `create trigger tell before insert or update or delete on ${table} for each row execute function public.tell()`

/** A type whose cast to the type of a key reports the current role: a foreign key check runs the cast. */
const castTo = (type: string, body: string): string[] => [
  'create type public.telling as (value text)',
  `create function public.tell(public.telling) returns ${type} language plpgsql as
    $$ begin raise notice 'ran as %', current_user; return ${body}; end $$`,
  `create cast (public.telling as ${type}) with function public.tell(public.telling) as implicit`,
]

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres', 1)
  await owner.query(`select linnet_platform.create_extension('pg_cron', null, null, false)`)
  await owner.query('create table public.mine (id bigint primary key)')
})
afterAll(() => postgres.stop())

it('sees triggers and casts of postgres run, where it may make them', async () => {
  expect(await ranAs(teller, triggerOn('public.mine'), 'insert into public.mine values (1)')).toEqual([
    'postgres',
  ])
  expect(
    await ranAs(
      ...castTo('bigint', '1'),
      'create table public.other (mine public.telling references public.mine)',
      'insert into public.mine values (1)',
      `insert into public.other values (row('1')::public.telling)`,
    ),
  ).toEqual(['postgres'])
})

it.each([
  ['net.http_request_queue', `select net.http_get('http://example.com')`],
  ['cron.job_due', `select cron.schedule('* * * * *', 'select 1')`],
  ['vault.secrets', `select vault.create_secret('a secret')`],
])('lets no trigger of postgres on %s run as a superuser', async (table, statement) => {
  const name = table.split('.')[1]!
  const refused = `permission denied for table ${name}`
  expect(await ranAs(teller, triggerOn(table), statement)).toEqual([refused])
  expect(await ranAs('set local role service_role', triggerOn(table))).toEqual([
    expect.stringContaining('permission denied'),
  ])
})

it.each([
  ['vault.secrets', 'uuid'],
  ['cron.job_run_details', 'bigint'],
  ['cron.job_due', 'bigint'],
])('lets no cast of postgres run as a superuser to look for a row of %s', async (table, type) => {
  const name = table.split('.')[1]!
  expect(
    await ranAs(
      ...castTo(type, 'null'),
      `create table public.other (key public.telling references ${table})`,
    ),
  ).toEqual([`permission denied for table ${name}`])
})

it('gives nobody a trigger or a reference on what a superuser owns, but where superusers never write', async () => {
  const { rows } = await owner.query<{ held: string }>(
    `select distinct format('%s %s %s', a.grantee::regrole, lower(a.privilege_type), c.oid::regclass) as held
     from pg_class c join pg_roles r on r.oid = c.relowner, aclexplode(c.relacl) a
     where r.rolsuper and a.grantee <> c.relowner and a.privilege_type in ('TRIGGER', 'REFERENCES')
     order by held`,
  )
  expect(rows.map(({ held }) => held)).toEqual([
    'postgres trigger cron.job_run_details',
    'postgres trigger net._http_response',
  ])
})

it('keeps secrets with the same functions, whatever stands where pgcrypto stood', async () => {
  expect(
    await ranAs(
      `select linnet_platform.alter_extension('pgcrypto', 'public', null)`,
      ...[
        'hmac(bytea, bytea, text)',
        'gen_random_bytes(integer)',
        'encrypt_iv(bytea, bytea, bytea, text)',
      ].map(
        (signature) => `create function extensions.${signature} returns bytea language plpgsql as
          $$ begin raise notice 'ran as %', current_user; return '\\x00'; end $$`,
      ),
      `select extensions.gen_random_bytes(1)`,
      `select vault.create_secret('kept', 'name')`,
      `do $$ begin
         if (select decrypted_secret from vault.decrypted_secrets where name = 'name') <> 'kept' then
           raise exception 'not kept';
         end if;
       end $$`,
    ),
  ).toEqual(['postgres'])
})

it('runs nothing of postgres when the platform is brought up to date', async () => {
  const tables = ['auth.schema_migrations', 'supabase_functions.migrations']
  await owner.query(`create table public.ran (name text);
    create function public.note() returns trigger language plpgsql security invoker as
      $$ begin insert into public.ran values (current_user); return new; end $$;
    ${tables.map((table) => `create trigger note before insert on ${table} for each row execute function public.note();`).join('\n')}
    alter table supabase_functions.migrations enable always trigger note`)
  const noted = async (): Promise<unknown> => (await owner.query('select distinct name from public.ran')).rows
  await owner.query(`insert into supabase_functions.migrations values ('a test')`)
  expect(await noted()).toEqual([{ name: 'postgres' }])
  const admin = postgres.pool('supabase_admin', 1)
  await admin.query(
    'delete from linnet_platform.files; delete from public.ran; delete from auth.schema_migrations',
  )
  expect((await migratePlatform(admin)).applied).toContain('61_webhooks.sql')
  const { rowCount } = await admin.query('select from auth.schema_migrations')
  expect(rowCount).toBeGreaterThan(1)
  expect(await noted()).toEqual([])
})
