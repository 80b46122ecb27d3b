import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { noLogger } from '../../logging/logger.ts'
import { migrate } from '../schema/migrate.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { StartError } from '../server/StartError.ts'
import { findBinaries } from '../server/binaries.ts'
import { temporaryPostgres } from '../server/temporaryPostgres.ts'
import { findInstalledExtensions } from './installedExtensions.ts'

const root = mkdtempSync(join(tmpdir(), "linnet-o'neil-"))
// PostgreSQL may run as another user.
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true }))

/** Stands for pgvector: a control file, SQL, and a library that is not in the package. */
function writeVector(folder: string): string {
  for (const name of ['extension', 'lib']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, 'extension/vector.control'),
    `default_version = '0.8.1'\nmodule_pathname = '$libdir/vector'\nrelocatable = true\n`,
  )
  writeFileSync(
    join(folder, 'extension/vector--0.8.1.sql'),
    `create function moddatetime() returns trigger as 'MODULE_PATHNAME' language c;`,
  )
  copyFileSync(join(findBinaries().root, 'lib/postgresql/moddatetime.so'), join(folder, 'lib/vector.so'))
  return folder
}

it.runIf(process.platform === 'linux')(
  'a migration creates an extension of a folder that LINNET_EXTENSIONS names',
  async () => {
    vi.stubEnv('LINNET_EXTENSIONS', writeVector(join(root, 'pgvector')))
    const supabase = join(root, 'supabase')
    mkdirSync(join(supabase, 'migrations'), { recursive: true })
    writeFileSync(
      join(supabase, 'migrations/1_vector.sql'),
      'create extension vector with schema extensions;',
    )
    const postgres = await temporaryPostgres()
    try {
      await migrate({ postgres, dir: supabase, log: noLogger })
      const { rows } = await postgres
        .pool('postgres')
        .query(
          `select extversion, extnamespace::regnamespace::text as schema from pg_extension where extname = 'vector'`,
        )
      expect(rows).toEqual([{ extversion: '0.8.1', schema: 'extensions' }])
    } finally {
      vi.unstubAllEnvs()
      await postgres.stop()
    }
  },
)

/** Stands for pgmq: SQL in a schema that the control file names, and no need of a superuser. */
function writeQueue(folder: string, control = ''): string {
  mkdirSync(join(folder, 'extension'), { recursive: true })
  writeFileSync(
    join(folder, 'extension/pgmq.control'),
    `default_version = '1.5.1'\nschema = 'pgmq'\nrelocatable = false\nsuperuser = false\n${control}`,
  )
  writeFileSync(
    join(folder, 'extension/pgmq--1.5.1.sql'),
    `create table @extschema@.meta (name text primary key);
     create function @extschema@.create(name text) returns void language plpgsql as $$ begin
       execute format('create table pgmq.%I (id int)', 'q_' || name); insert into pgmq.meta values (name); end $$;`,
  )
  return folder
}

it('creates an extension in the schema of its control file, with the rights of the caller', async () => {
  vi.stubEnv('LINNET_EXTENSIONS', writeQueue(join(root, 'queue')))
  const supabase = join(root, 'queue/supabase')
  mkdirSync(join(supabase, 'migrations'), { recursive: true })
  writeFileSync(
    join(supabase, 'migrations/1_queue.sql'),
    `create extension if not exists pgmq; select pgmq.create('mails');
     create extension pg_stat_statements with schema extensions; select count(*) from extensions.pg_stat_statements;
     create extension pg_partman; select partman.create_parent('public.mails');`,
  )
  const postgres = await temporaryPostgres()
  try {
    const applied = migrate({ postgres, dir: supabase, log: noLogger })
    await expect(applied).rejects.toThrow('The extension pg_partman is not part of this PostgreSQL')
    writeFileSync(join(supabase, 'migrations/1_queue.sql'), 'create extension pgmq with schema pgmq;')
    await migrate({ postgres, dir: supabase, log: noLogger })
    const { rows } = await postgres.pool('postgres').query(
      `select extowner::regrole::text as owner, extnamespace::regnamespace::text as schema
       from pg_extension where extname = 'pgmq'`,
    )
    expect(rows).toEqual([{ owner: 'postgres', schema: 'pgmq' }])
  } finally {
    vi.unstubAllEnvs()
    await postgres.stop()
  }
})

it('everyone may call the functions of an extension, whatever default privileges the project has', async () => {
  vi.stubEnv('LINNET_EXTENSIONS', writeQueue(join(root, 'private')))
  const supabase = join(root, 'private/supabase')
  mkdirSync(join(supabase, 'migrations'), { recursive: true })
  writeFileSync(
    join(supabase, 'migrations/1_private.sql'),
    `alter default privileges revoke execute on functions from public;
     alter default privileges revoke usage on types from public;
     create extension pgmq; create function public.own() returns void language sql as '';
     create type public.kind as enum ('a');`,
  )
  const postgres = await temporaryPostgres()
  try {
    await migrate({ postgres, dir: supabase, log: noLogger })
    const { rows } = await postgres.pool('postgres').query(
      `select has_function_privilege('pgbouncer', 'pgmq.create(text)', 'execute') as extension,
         has_type_privilege('pgbouncer', 'pgmq.meta', 'usage') as type,
         has_function_privilege('pgbouncer', 'public.own()', 'execute') as own,
         has_type_privilege('pgbouncer', 'public.kind', 'usage') as "ownType"`,
    )
    expect(rows).toEqual([{ extension: true, type: true, own: false, ownType: false }])
  } finally {
    vi.unstubAllEnvs()
    await postgres.stop()
  }
})

it('postgres updates, moves and drops the extensions that it owns, with its own rights', async () => {
  const folder = join(root, 'owned')
  mkdirSync(join(folder, 'extension'), { recursive: true })
  for (const name of ['pgmq', 'own_tools']) {
    const script = `create table ran_as as select current_user::text as name;`
    writeFileSync(
      join(folder, `extension/${name}.control`),
      `default_version = '1.0'\nrelocatable = true\nsuperuser = false\n`,
    )
    writeFileSync(join(folder, `extension/${name}--1.0.sql`), 'create table kept ();')
    writeFileSync(join(folder, `extension/${name}--1.0--1.1.sql`), script)
  }
  vi.stubEnv('LINNET_EXTENSIONS', folder)
  const supabase = join(folder, 'supabase')
  mkdirSync(join(supabase, 'migrations'), { recursive: true })
  const steps = (name: string): string =>
    `create schema ${name}_a; create schema ${name}_b;
     create extension ${name} schema ${name}_a; alter extension ${name} update to '1.1';
     alter extension ${name} set schema ${name}_b; comment on extension ${name} is 'tools';
     create table ${name}_by as select * from ${name}_b.ran_as; drop extension ${name};`
  writeFileSync(join(supabase, 'migrations/1_own.sql'), steps('own_tools') + steps('pgmq'))
  const postgres = await temporaryPostgres()
  try {
    const run = (): Promise<unknown> => migrate({ postgres, dir: supabase, log: noLogger })
    await run()
    const { rows } = await postgres
      .pool('postgres')
      .query('select o.name as own, p.name as pgmq from own_tools_by o, pgmq_by p')
    expect(rows).toEqual([{ own: 'postgres', pgmq: 'postgres' }])
    for (const change of ['alter extension own_tools update', 'drop extension own_tools']) {
      writeFileSync(join(supabase, 'migrations/2_gone.sql'), change)
      await expect(run()).rejects.toThrow('extension "own_tools" does not exist (42704)')
    }
  } finally {
    vi.unstubAllEnvs()
    await postgres.stop()
  }
})

it('a control file that PostgreSQL can not read is named in a sentence', async () => {
  vi.stubEnv('LINNET_EXTENSIONS', writeQueue(join(root, 'broken'), 'this is no setting\n'))
  const postgres = await temporaryPostgres()
  try {
    const admin = postgres.pool('supabase_admin', 1)
    await admin.query(`delete from linnet_platform.files where name = '60_extensions.sql'`)
    const started = migratePlatform(admin)
    await expect(started).rejects.toThrow(
      /^PostgreSQL can't read the files of the extensions: .*pgmq\.control.* Fix or remove this file or folder\.$/,
    )
    await expect(started).rejects.toBeInstanceOf(StartError)
  } finally {
    vi.unstubAllEnvs()
    await postgres.stop()
  }
})

it('accepts several folders, and refuses an invalid one', () => {
  const folders = ['a', 'b'].map((name) => writeVector(join(root, name)))
  expect(findInstalledExtensions(18, folders.join(delimiter)).slice(0, 2)).toEqual(
    folders.map((folder) => ({ control: folder, libraries: join(folder, 'lib') })),
  )
  for (const wrong of [join(root, 'none'), 'relative', '/']) {
    expect(() => findInstalledExtensions(18, wrong)).toThrow(
      `LINNET_EXTENSIONS must list absolute paths of folders`,
    )
  }
  // No PostgreSQL of that version is installed.
  expect(findInstalledExtensions(4, '')).toEqual([])
})
