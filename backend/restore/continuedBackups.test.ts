import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createBackup, type BackupOptions } from '../backup/createBackup.ts'
import { listBackups } from '../backup/repository/manifest.ts'
import { readKeys } from '../backup/repository/keys.ts'
import { readBackupState } from '../backup/state.ts'
import { openOwnRepository } from '../backup/target/openOwnRepository.ts'
import { createWalArchiver, type WalArchiver } from '../backup/wal/createWalArchiver.ts'
import { noLogger } from '../logging/logger.ts'
import { parseLsn } from '../postgres/connections/lsn.ts'
import { createPool, type Pool } from '../postgres/connections/pool.ts'
import { createDataFromTemplate } from '../postgres/server/createDataFromTemplate.ts'
import { startPostgres, type Postgres } from '../postgres/server/startPostgres.ts'
import { readRestoreMarker, removeRestoreMarker } from './marker.ts'
import { restoreBackup } from './restoreBackup.ts'
import { selectBackup } from './selectBackup.ts'

// A repository outlives the database that began it: restored copies and databases that were put back continue it.

const progress = { step() {}, advance() {} }
let folder: string
const ending: (() => Promise<unknown>)[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'linnet-continued-'))
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
})
afterAll(async () => {
  for (const end of ending.splice(0)) await end()
  rmSync(folder, { recursive: true })
})

/** A database that writes to the repository, as a server does. */
interface Server {
  pool: Pool
  /** Of the superuser. */
  admin: Pool
  add(text: string): Promise<void>
  /** Starts the archive of the log. */
  archive(): WalArchiver
  /** Resolves when the repository has everything that was added. */
  untilArchived(): Promise<void>
  backUp(): Promise<string>
  stop(): Promise<void>
}

async function start(dataDir: string, repository: string): Promise<Server> {
  const postgres: Postgres = await startPostgres({ dataDir })
  const pool = createPool(postgres.config('postgres'), { max: 2, name: 'test' })
  const admin = createPool(postgres.config('supabase_admin'), { max: 1, name: 'admin' })
  let archiver: WalArchiver | null = null
  let isStopped = false
  const options = (): BackupOptions => ({
    dataDir,
    to: repository,
    database: postgres.config('postgres'),
    version: '0.1.0',
    installation: 'abcd1234',
    retention: { days: 7, weeks: 4, months: 6 },
    isRestored: readRestoreMarker(dataDir) !== null,
    isChosen: false,
    publicKey: null,
    passphrase: null,
    reserveBytes: 0,
    progress,
  })
  const stop = async (): Promise<void> => {
    if (isStopped) return
    isStopped = true
    await archiver?.close()
    await Promise.all([pool.end(), admin.end()])
    await postgres.stop()
  }
  ending.push(stop)
  return {
    pool,
    admin,
    add: async (text) => {
      await pool.query('insert into public.notes values ($1)', [text])
    },
    archive() {
      rmSync(join(dataDir, 'backup-state', 'wal.json'), { force: true })
      archiver = createWalArchiver({
        dataDir,
        database: postgres.config('postgres'),
        openRepository: () => openOwnRepository(repository, options()),
        maxLagBytes: 2 ** 30,
        reserveBytes: 0,
        log: noLogger,
      })
      return archiver
    },
    async untilArchived() {
      const { rows } = await pool.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
      await vi.waitUntil(
        () => {
          const state = readBackupState(dataDir).wal
          return state?.failure === null && parseLsn(state.archivedLsn) >= parseLsn(rows[0]!.lsn)
        },
        { timeout: 240_000 },
      )
    },
    backUp: async () => (await createBackup(options())).id,
    stop,
  }
}

async function createOriginal(name: string): Promise<string> {
  const dataDir = join(folder, name)
  await createDataFromTemplate(dataDir)
  const postgres = await startPostgres({ dataDir })
  const pool = createPool(postgres.config('postgres'), { max: 1, name: 'test' })
  await pool.query('create table public.notes (text text primary key)')
  await pool.end()
  await postgres.stop()
  return dataDir
}

async function restore(repository: string, name: string, at: Date | null = null): Promise<string> {
  const dataDir = join(folder, name)
  const selected = await selectBackup(repository, { backup: null, at })
  const identities = (await readKeys(repository, null)).map(({ identity }) => identity)
  await restoreBackup({ from: repository, selected, identities, dataDir, at, progress })
  return dataDir
}

/** The notes of a restore, in their order. */
async function notesOf(repository: string, at: Date | null = null): Promise<string[]> {
  const dataDir = await restore(repository, `notes-${readdirSync(folder).length}`, at)
  const restored = await start(dataDir, repository)
  const { rows } = await restored.pool.query<{ text: string }>('select text from public.notes order by text')
  await restored.stop()
  rmSync(dataDir, { recursive: true })
  return rows.map(({ text }) => text)
}

/** A moment after everything that was committed, and before everything that follows. */
async function momentAfter(server: Server): Promise<Date> {
  const { rows } = await server.pool.query<{ now: Date }>(
    `select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as now`,
  )
  await server.pool.query('select pg_sleep(0.01)')
  return rows[0]!.now
}

it('a restored copy beside its original leaves the repository alone, and continues it after the confirmation', async () => {
  const repository = join(folder, 'shared')
  const originalDir = await createOriginal('original')
  const original = await start(originalDir, repository)
  original.archive()
  await original.backUp()
  await original.add('1 original')
  await original.untilArchived()
  const copyDir = await restore(repository, 'copy')
  const copy = await start(copyDir, repository)

  const archiver = copy.archive()
  await copy.add('2 copy')
  await original.add('2 original')
  await expect(copy.backUp()).rejects.toThrow('belong to the original of this restored copy')
  await vi.waitUntil(
    () => readBackupState(copyDir).wal?.failure?.includes('belong to the original') === true,
    { timeout: 240_000 },
  )
  await archiver.close()
  await original.backUp()
  await original.add('3 original')
  await original.untilArchived()
  expect(await notesOf(repository)).toEqual(['1 original', '2 original', '3 original'])
  const before = await momentAfter(original)
  await original.add('4 original')
  await original.untilArchived()
  await original.stop()

  removeRestoreMarker(copyDir)
  const resumed = copy.archive()
  await copy.untilArchived()
  expect(await resumed.needsBackup()).toBe(true)
  await copy.backUp()
  expect(await resumed.needsBackup()).toBe(false)
  await copy.add('4 copy')
  await copy.untilArchived()
  const after = await momentAfter(copy)
  await copy.add('5 copy')
  await copy.untilArchived()

  expect((await listBackups(repository)).backups).toHaveLength(3)
  expect(await notesOf(repository, before)).toEqual(['1 original', '2 original', '3 original'])
  expect(await notesOf(repository, after)).toEqual(['1 original', '2 copy', '4 copy'])
  await copy.stop()
  const again = await start(originalDir, repository)
  await expect(again.backUp()).rejects.toThrow('belong to another server, or to a restored copy')
  await again.stop()
})

it('a database that was put back to an earlier state continues the repository without its abandoned changes', async () => {
  const repository = join(folder, 'put-back')
  const dataDir = await createOriginal('server')
  const first = await start(dataDir, repository)
  first.archive()
  await first.backUp()
  await first.add('1 before')
  // The slot exists then, which retains what follows for the next server.
  await first.untilArchived()
  await first.stop()
  const data = join(dataDir, 'postgres')
  const saved = join(folder, 'saved')
  execFileSync('cp', ['-a', data, saved])
  // As in the copies that an upgrade makes.
  rmSync(join(saved, 'pg_replslot', 'linnet_archive'), { recursive: true, force: true })

  const second = await start(dataDir, repository)
  second.archive()
  await second.add('2 abandoned')
  await second.untilArchived()
  const abandoned = await momentAfter(second)
  await second.backUp()
  await second.add('3 abandoned')
  await second.untilArchived()
  await second.stop()

  rmSync(data, { recursive: true })
  execFileSync('cp', ['-a', saved, data])
  const third = await start(dataDir, repository)
  const archiver = third.archive()
  await third.add('4 after')
  await third.untilArchived()
  expect(await archiver.needsBackup()).toBe(true)
  await third.backUp()
  await third.add('5 after')
  await third.untilArchived()
  await third.stop()
  expect(await notesOf(repository)).toEqual(['1 before', '4 after', '5 after'])
  expect(await notesOf(repository, abandoned)).toEqual(['1 before', '2 abandoned'])
})

it('a base backup is needed after the slot of the archive was lost', async () => {
  const repository = join(folder, 'lost-slot')
  const dataDir = await createOriginal('without-slot')
  const first = await start(dataDir, repository)
  first.archive()
  await first.backUp()
  await first.untilArchived()
  await first.stop()

  const second = await start(dataDir, repository)
  await second.pool.query(`select pg_drop_replication_slot('linnet_archive')`)
  await second.add('1 not archived')
  // A new slot retains the log from the last checkpoint on.
  await second.admin.query('select pg_switch_wal()')
  await second.admin.query('checkpoint')
  const archiver = second.archive()
  await second.untilArchived()
  expect(await archiver.needsBackup()).toBe(true)
  await second.backUp()
  await second.add('2 archived')
  await second.untilArchived()
  expect(await archiver.needsBackup()).toBe(false)
  await second.stop()
  expect(await notesOf(repository)).toEqual(['1 not archived', '2 archived'])
})
