import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { createLogger, noLogger } from '../../../backend/logging/logger.ts'
import { startLinnet, type Linnet } from '../../../backend/main.ts'
import { readChecksum } from '../../../backend/postgres/majorVersion/copyRows.ts'
import { moveToMajorVersion } from '../../../backend/postgres/majorVersion/moveToMajorVersion.ts'
import { openSession } from '../../../backend/postgres/majorVersion/openSession.ts'
import { readTables } from '../../../backend/postgres/majorVersion/readTables.ts'
import { availableMemory, chooseMemorySettings } from '../../../backend/postgres/server/memorySettings.ts'
import { startPostgres } from '../../../backend/postgres/server/startPostgres.ts'
import { createByteStore } from '../../../backend/storage/bytes/createByteStore.ts'
import { rootOfRelease } from '../../../backend/upgrade/installedReleases.ts'
import { upgradeStoppedServer } from '../../../backend/upgrade/upgradeStoppedServer.ts'
import { createEarlierData, type EarlierServer } from '../../support/createEarlierData.ts'
import { createVersion } from '../../support/createVersion.ts'
import { temporaryData } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

/** The folder of PostgreSQL 17, which `npm run test:all` installs. */
const postgres17 = /\b17=(\S+)/.exec(process.env['LINNET_OTHER_POSTGRES'] ?? '')?.[1]

/** What people may have created in their database although no migration does. */
const byHand = `
  create table public.by_hand (id int primary key);
  create function public.count_by_hand() returns bigint language sql as 'select count(*) from public.by_hand';
  create role reader_by_hand;
  create policy "by hand" on storage.objects for select to anon using (true);
  create extension citext with schema extensions;
  select lo_create(0)`
const undoByHand = `
  drop extension citext;
  drop policy "by hand" on storage.objects;
  drop role reader_by_hand;
  drop function public.count_by_hand();
  drop table public.by_hand;
  select lo_unlink(oid) from pg_largeobject_metadata`

describe.skipIf(postgres17 === undefined)('data of PostgreSQL 17', () => {
  const data = temporaryData()
  const supabaseDir = join(mkdtempSync(join(tmpdir(), 'linnet-supabase-')), 'supabase')
  const lines: string[] = []
  let earlier: { start(): Promise<EarlierServer> }
  const versionIn = (folder: string): string => readFileSync(join(data.dir, folder, 'PG_VERSION'), 'utf8')

  const startCurrent = (): Promise<Linnet> =>
    startLinnet({
      dataDir: data.dir,
      supabaseDir,
      seed: false,
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      tls: null,
      appDir: null,
      usePublicUrlAsSiteUrl: true,
      dbPort: null,
      log: createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) }),
    })

  /** Runs `work` as the superuser of the earlier version. */
  const onEarlier = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const server = await earlier.start()
    try {
      const client = await openSession(server.config('supabase_admin'))
      return await work(client).finally(() => client.end())
    } finally {
      await server.stop()
    }
  }

  /** What a move keeps, besides the definitions of objects. Each start sets the passwords of two roles. */
  const readState = async (client: Client): Promise<Record<string, unknown>> => {
    const rowsOf = async (sql: string): Promise<unknown[]> =>
      (await client.query({ text: sql, rowMode: 'array' })).rows
    const tables: Record<string, unknown> = {}
    for (const table of await readTables(client)) {
      const checksum = await readChecksum(client, table)
      if (checksum.rows !== '0') tables[table.name] = checksum
    }
    return {
      tables,
      sequences: await rowsOf(`select schemaname || '.' || sequencename, last_value from pg_sequences
        where last_value is not null order by 1`),
      passwords: await rowsOf(`select rolname, rolpassword, coalesce(rolvaliduntil, 'infinity') from pg_authid
        where rolpassword is not null and rolname not in ('postgres', 'authenticator') order by 1`),
      settings:
        await rowsOf(`select setrole::regrole::text, setdatabase = 0, setconfig from pg_db_role_setting
        order by 1, 2`),
      secrets: await rowsOf(`select name, decrypted_secret from vault.decrypted_secrets order by 1`),
      setting: await rowsOf('show autovacuum_naptime'),
    }
  }

  beforeAll(async () => {
    earlier = await createEarlierData({
      dataDir: data.dir,
      supabaseDir: join(root, 'supabase'),
      seed: true,
      folder: postgres17!,
    })
    cpSync(join(root, 'supabase'), supabaseDir, { recursive: true })
    // Functions import modules of all three.
    for (const name of ['app', 'backend', 'wire'])
      symlinkSync(join(root, name), join(supabaseDir, '..', name))
    const files = await createByteStore(join(data.dir, 'storage'))
    const text = 'The rota of December.'
    const file = await files.receive(
      (async function* chunks() {
        yield Buffer.from(text)
      })(),
      text.length,
    )
    await files.publish(file.version)
    await onEarlier(async (client) => {
      await client.query(`insert into storage.buckets (id, name, public) values ('rotas', 'rotas', true)`)
      await client.query(
        `insert into storage.objects (bucket_id, name, version, metadata) values ('rotas', 'rota.txt', $1, $2)`,
        [
          file.version,
          { size: file.size, mimetype: 'text/plain', eTag: file.etag, cacheControl: 'no-cache' },
        ],
      )
      await client.query(`
        select vault.create_secret('the secret of the mail server', 'mail');
        set role postgres;
        select cron.schedule('by hand', '0 3 * * *', 'select 1');
        reset role;
        alter role anon set lock_timeout = '2s';
        alter role pgbouncer password 'a password of a person' valid until '2031-01-01';
        select realtime.maintain_partitions((now() at time zone 'UTC')::date - 3);
        insert into realtime.messages (topic, extension, event, payload, inserted_at)
          values ('room', 'broadcast', 'earlier', '{}', now() - interval '2 days')`)
      await client.query(`alter system set autovacuum_naptime = '7min'`)
      await client.query('select pg_reload_conf()')
      await client.query(byHand)
    })
  })
  afterAll(() => {
    data.remove()
    rmSync(join(supabaseDir, '..'), { recursive: true, force: true })
  })

  it('stay unchanged if they have objects that the migrations do not create, and the upgrade names each of them', async () => {
    const release = rootOfRelease(data.dir, 'next')
    createVersion(release, '1.0.0')
    const { message } = await upgradeStoppedServer({
      dataDir: data.dir,
      release: 'next',
      programRoot: release,
      args: ['--supabase', supabaseDir],
      isMove: true,
      timeoutMs: 600_000,
      onStep() {},
    }).then(
      () => new Error('upgraded'),
      (error: Error) => error,
    )
    expect(message).toContain('The data are unchanged.')
    const named = message.split('\n').filter((line) => line.startsWith('- '))
    expect(named.toSorted()).toEqual([
      '- extension citext',
      '- function public.count_by_hand()',
      expect.stringMatching(/^- large object \d+$/),
      '- policy "by hand" on storage.objects',
      '- role reader_by_hand',
      '- table public.by_hand',
    ])
    expect(existsSync(join(data.dir, 'postgres-next'))).toBe(false)
    expect(readdirSync(join(data.dir, 'backups'))).toEqual([])
    expect(readdirSync(join(data.dir, 'releases')).toSorted()).toEqual(['0.0.1', 'next'])
    expect(versionIn('postgres')).toBe('17\n')
  })

  it('are moved with all rows, sequences, passwords, settings and secrets', async () => {
    const before = await onEarlier(async (client) => {
      await client.query(undoByHand)
      return readState(client)
    })
    expect(before.secrets).toContainEqual(['mail', 'the secret of the mail server'])
    // What an interrupted move leaves.
    mkdirSync(join(data.dir, 'postgres-next/postgres'), { recursive: true })
    const move = await moveToMajorVersion({
      dataDir: data.dir,
      supabaseDir,
      config: loadConfig(supabaseDir),
      memory: chooseMemorySettings(availableMemory(), 0),
      log: noLogger,
    })
    expect(move).toMatchObject({ from: 17, to: 18, former: join(data.dir, 'postgres-17') })
    expect(versionIn('postgres')).toBe('18\n')
    expect(versionIn('postgres-17')).toBe('17\n')
    const postgres = await startPostgres({ dataDir: data.dir })
    const client = await openSession(postgres.config('supabase_admin'))
    expect(await readState(client)).toEqual(before)
    // The comparison finds one changed value.
    const table = (await readTables(client)).find(({ name }) => name === 'public.messages')
    const checksum = await readChecksum(client, table!)
    await client.query('set session_replication_role to replica')
    await client.query(
      `update public.messages set body = body || '!' where id = (select max(id::text)::uuid from public.messages)`,
    )
    expect(await readChecksum(client, table!)).toEqual({
      rows: checksum.rows,
      sum: expect.not.stringContaining(checksum.sum),
    })
    await client.end()
    await postgres.stop()
  })

  it('serve people, and later migrations follow', async () => {
    writeFileSync(
      join(supabaseDir, 'migrations/20991231000000_next.sql'),
      'create table public.next (id int primary key);',
    )
    const linnet = await startCurrent()
    try {
      expect(linnet.isNew).toBe(false)
      expect(lines.join('\n')).toContain('20991231000000_next.sql')
      // The earlier data are the backup.
      expect(lines.join('\n')).not.toContain('postgres.backup_created')
      const file = await fetch(`${linnet.localUrl}/storage/v1/object/public/rotas/rota.txt`)
      expect(await file.text()).toBe('The rota of December.')
      const response = await fetch(`${linnet.localUrl}/rest/v1/messages?select=id&limit=1`, {
        headers: { apikey: linnet.running.secretKey },
      })
      expect(await response.json()).toHaveLength(1)
    } finally {
      await linnet.stop()
    }
  })
})
