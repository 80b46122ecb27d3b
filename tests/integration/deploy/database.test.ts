import { readFileSync } from 'node:fs'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkDatabase } from '../../../backend/optional/deploy/checkDatabase.ts'
import { checkPartitions } from '../../../backend/optional/deploy/checkPartitions.ts'
import { createReference } from '../../../backend/optional/deploy/createReference.ts'
import { Findings } from '../../../backend/optional/deploy/Report.ts'
import { listMigrations } from '../../../backend/postgres/schema/migrationFiles.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { supabaseDir } from './supabaseDir.ts'

/** Plays a hosted project, which is accessed through its database only. */
let hosted: Backend
let client: Client
/** Created once and returned for any migrations. */
let completeReference: ReturnType<typeof createReference>
let versions: string[] = []
let broadcasts = false

const reference: typeof createReference = (migrations) => {
  versions = migrations.map(({ version }) => version)
  return completeReference
}

beforeAll(async () => {
  completeReference = createReference(listMigrations(supabaseDir).migrations)
  hosted = await startBackend({ more: { dbPort: 0 } })
  client = new Client({ connectionString: hosted.dbUrl })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await hosted?.stop()
})

async function missing(dbUrl = hosted.dbUrl, dir = supabaseDir): Promise<string[]> {
  const findings = new Findings()
  ;({ broadcasts } = await checkDatabase(
    { supabaseDir: dir, dbUrl, exposed: ['public'], reference },
    findings,
  ))
  return findings.missing.map(({ sentence }) => sentence)
}

it('finds nothing missing in a complete database, over TCP', async () => {
  expect(hosted.dbUrl).toMatch(/@127\.0\.0\.1:\d+\//)
  expect(await missing()).toEqual([])
  expect(broadcasts).toBe(true)
  expect(versions).toHaveLength(listMigrations(supabaseDir).migrations.length)
})

const policy = `create policy "x" on public.messages for select to anon using (true)`

it.each([
  [
    'grant select on public.profiles to anon',
    'anon has select on table public.profiles, which no migration grants.',
    'revoke select on public.profiles from anon',
  ],
  [
    'grant select, insert on public.profiles, public.channels to anon',
    'anon has insert and select on table public.channels, table public.profiles, which no migration grants.',
    'revoke select, insert on public.profiles, public.channels from anon',
  ],
  [
    'grant usage, select, update on sequence public.mentions_id_seq to anon, authenticated',
    'anon has select, update and usage on sequence public.mentions_id_seq, which no migration grants.',
    'revoke all on sequence public.mentions_id_seq from anon, authenticated',
    'authenticated has select, update and usage on sequence public.mentions_id_seq, which no migration grants.',
  ],
  [
    'alter role authenticator reset pgrst.db_pre_request',
    "The role authenticator lacks the setting pgrst.db_pre_request: alter role authenticator set pgrst.db_pre_request = 'app.check_request'; notify pgrst, 'reload config';",
    "alter role authenticator set pgrst.db_pre_request = 'app.check_request'",
  ],
  [
    "alter role authenticator set pgrst.db_pre_request = 'public.other'",
    'The setting pgrst.db_pre_request of the role authenticator is public.other, but should be app.check_request.',
    "alter role authenticator set pgrst.db_pre_request = 'app.check_request'",
  ],
  [
    'revoke select on public.messages from authenticated',
    'authenticated lacks select on table public.messages.',
    'grant select on public.messages to authenticated',
  ],
  [
    'grant update (body) on public.messages to authenticated',
    'authenticated has update (body) on table public.messages, which no migration grants.',
    'revoke update (body) on public.messages from authenticated',
  ],
  [
    'grant execute on function public.register_setup_token to anon',
    'anon has execute on function public.register_setup_token(token text), which no migration grants.',
    'revoke execute on function public.register_setup_token from anon',
  ],
  [
    'revoke execute on function public.before_user_created from supabase_auth_admin',
    'supabase_auth_admin lacks execute on function public.before_user_created(event jsonb).',
    'grant execute on function public.before_user_created to supabase_auth_admin',
  ],
  [
    'alter table public.messages disable row level security',
    'Row security is off for public.messages: anyone who can select from it sees every row.',
    'alter table public.messages enable row level security',
  ],
  [
    policy,
    'The policy "x" on public.messages is not in any migration: it may allow what they forbid.',
    'drop policy "x" on public.messages',
  ],
  [
    `create policy "y" on storage.objects for select using (true)`,
    'The policy "y" on storage.objects is not in any migration: it may allow what they forbid.',
    'drop policy "y" on storage.objects',
  ],
  [
    `create policy "z" on realtime.messages for insert to authenticated with check (true)`,
    'The policy "z" on realtime.messages is not in any migration: it may allow what they forbid.',
    'drop policy "z" on realtime.messages',
  ],
  [
    'alter table public.messages disable trigger messages_are_broadcast',
    'The trigger messages_are_broadcast on public.messages is disabled.',
    'alter table public.messages enable trigger messages_are_broadcast',
  ],
  [
    'alter publication supabase_realtime add table public.profiles',
    'The publication supabase_realtime contains public.profiles, which no migration adds.',
    'alter publication supabase_realtime drop table public.profiles',
  ],
  [
    `update storage.buckets set public = true where id = 'files'`,
    'The bucket files is public: anyone with a URL can read its files.',
    `update storage.buckets set public = false where id = 'files'`,
  ],
  [
    `update storage.buckets set file_size_limit = 1000 where id = 'files'`,
    'The bucket files accepts files of 1000 bytes, but should accept 524288000.',
    `update storage.buckets set file_size_limit = 524288000 where id = 'files'`,
  ],
  [
    'alter table public.messages rename constraint messages_pkey to other',
    'The constraint messages_pkey of public.messages is missing.',
    'alter table public.messages rename constraint other to messages_pkey',
  ],
  [
    'alter index public.workspace_members_profile rename to other',
    'The index public.workspace_members_profile is missing.',
    'alter index public.other rename to workspace_members_profile',
  ],
  [
    'alter function public.send_message security invoker',
    'The function public.send_message',
    'alter function public.send_message security definer',
  ],
  [
    'alter table public.profiles alter column name drop not null',
    'The column public.profiles.name is text, but should be text not null.',
    'alter table public.profiles alter column name set not null',
  ],
  [
    'create table public.extra (id int); grant select on public.extra to anon',
    'The table public.extra, which is not in any migration, is served without row security.',
    'drop table public.extra',
  ],
  [
    `delete from vault.secrets where name = 'project_url'`,
    'The Vault has no secret "project_url", which the function ',
    `select public.register_server_url('http://127.0.0.1:4280')`,
  ],
  [
    `insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`,
    'The database has migrations that this folder lacks (29990101000000)',
    `delete from supabase_migrations.schema_migrations where version = '29990101000000'`,
  ],
])('%s', async (breaks, sentence, fix, ...further) => {
  await client.query(breaks)
  const found = await missing()
  await client.query(fix)
  expect(found).toEqual([sentence, ...further].map((one) => expect.stringContaining(one)))
})

it('names pending migrations, and compares with the applied ones', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-pending-'))
  cpSync(join(supabaseDir, 'migrations'), join(dir, 'migrations'), { recursive: true })
  writeFileSync(join(dir, 'migrations/29990101000000_later.sql'), 'create table public.later (id int);')
  const found = await missing(hosted.dbUrl, dir)
  rmSync(dir, { recursive: true })
  expect(found).toEqual(['Not applied: 29990101000000_later.sql. npx supabase db push applies it.'])
  expect(versions).toEqual(listMigrations(supabaseDir).migrations.map(({ version }) => version))
})

it('finds days without a partition of realtime.messages', async () => {
  const found = async (dbUrl: string): Promise<string[]> => {
    const findings = new Findings()
    await checkPartitions(dbUrl, findings)
    return findings.missing.map(({ sentence }) => sentence)
  }
  expect(await found(hosted.dbUrl)).toEqual([])
  // The state that upstream's realtime service leaves before the first client connects.
  await client.query('create database unused')
  const unused = new URL(hosted.dbUrl)
  unused.pathname = '/unused'
  const other = new Client({ connectionString: unused.href })
  await other.connect()
  await other.query(`create schema realtime;
    create table realtime.messages (inserted_at timestamp not null) partition by range (inserted_at)`)
  expect(await found(unused.href)).toEqual([
    expect.stringMatching(/^realtime\.messages has no partition for \S+ and \S+ \(UTC\): .* are dropped/),
  ])
  await other.end()
})

it('explains why it cannot connect, without printing the password', async () => {
  const wrong = new URL(hosted.dbUrl)
  wrong.password = 'hush'
  const [sentence, ...more] = await missing(wrong.href)
  expect(more).toEqual([])
  expect(sentence).toMatch(/^Can't connect to the database: .* password authentication failed/)
  expect(sentence).not.toContain('hush')
  expect((await missing('postgresql://postgres@127.0.0.1:1/postgres'))[0]).toMatch(/Can't connect/)
})

it('describes how to record a migration that replaces the applied ones', async () => {
  const [baseline] = listMigrations(supabaseDir).migrations
  const replaced = /^-- replaces: (.*)$/m.exec(readFileSync(baseline!.path, 'utf8'))![1]!
  const table = 'supabase_migrations.schema_migrations'
  await client.query(
    `create temporary table kept as select * from ${table} where version = $1`.replace(
      '$1',
      `'${baseline!.version}'`,
    ),
  )
  await client.query(`delete from ${table} where version = $1`, [baseline!.version])
  await client.query(`insert into ${table} (version) select unnest(string_to_array($1, ' '))`, [replaced])
  expect(await missing()).toEqual([
    expect.stringContaining(
      `npx supabase migration repair --status reverted ${replaced} && npx supabase migration repair --status applied ${baseline!.version}`,
    ),
  ])
  await client.query(`delete from ${table} where version = any (string_to_array($1, ' '))`, [replaced])
  await client.query(`insert into ${table} select * from kept`)
  await client.query('drop table kept')
})

it('has changed nothing and left no connection', async () => {
  expect(await missing()).toEqual([])
  const { rows } = await client.query(
    `select count(*)::int as n from pg_stat_activity where application_name like 'linnet deploy%'`,
  )
  expect(rows).toEqual([{ n: 0 }])
})
