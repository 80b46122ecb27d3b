import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { extract } from 'tar-stream'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { noLogger } from '../logging/logger.ts'
import { parseLsn } from '../postgres/connections/lsn.ts'
import { startPostgres } from '../postgres/server/startPostgres.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../postgres/server/temporaryPostgres.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { createByteStore, type ByteStore } from '../storage/bytes/createByteStore.ts'
import { createBackup, type BackupOptions } from './createBackup.ts'
import { readKeys } from './repository/keys.ts'
import { paths } from './repository/layout.ts'
import { listBackups, readManifest, type BackupManifest } from './repository/manifest.ts'
import {
  createStoredFiles,
  listWal,
  readPart,
  readVersions,
  readWal,
  verifyParts,
} from './repository/readStored.ts'
import { selectWalOf, writeSegments } from './repository/walSegments.ts'
import { endContinuous } from './source/retainedFiles.ts'
import { readBackupState } from './state.ts'
import { openOwnRepository } from './target/openOwnRepository.ts'
import { recordPosition } from './target/writer.ts'
import { rotateKey } from './rotateKey.ts'
import { createWalArchiver, type WalArchiver } from './wal/createWalArchiver.ts'

let postgres: TemporaryPostgres
let pool: Pool
let bytes: ByteStore
let folder: string
/** Ended after each test, also after one that fails. */
const ending: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  postgres = await temporaryPostgres()
  pool = postgres.pool('postgres')
  await pool.query('create table public.stored (version text primary key)')
  bytes = await createByteStore(join(postgres.dataDir, 'storage'))
  folder = mkdtempSync(join(tmpdir(), 'linnet-backups-'))
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

const options = (change: Partial<BackupOptions> = {}): BackupOptions => ({
  dataDir: postgres.dataDir,
  to: join(folder, 'repository'),
  database: postgres.config('postgres'),
  version: '0.1.0',
  installation: 'abcd1234',
  retention: { days: 7, weeks: 4, months: 6 },
  isRestored: false,
  isChosen: false,
  publicKey: null,
  passphrase: null,
  reserveBytes: 0,
  progress: { step() {}, advance() {} },
  ...change,
})

async function upload(text: string): Promise<string> {
  const { version } = await bytes.receive(Readable.from([Buffer.from(text)]), 1e6)
  await bytes.publish(version)
  await pool.query('insert into public.stored values ($1)', [version])
  await bytes.settle(version)
  return version
}

async function remove(version: string): Promise<void> {
  await bytes.mark([version])
  await pool.query('delete from public.stored where version = $1', [version])
  await bytes.discard(version)
}

const identitiesOf = async (dir: string): Promise<string[]> =>
  (await readKeys(dir, null)).map(({ identity }) => identity)

/** The texts of an archive by name, or its files in a folder. */
async function unpack(source: AsyncIterable<Buffer>, target: string): Promise<void> {
  const archive = extract()
  const feeding = (async () => {
    for await (const chunk of source) archive.write(chunk)
    archive.end(Buffer.alloc(0))
  })()
  for await (const entry of archive) {
    const path = join(target, entry.header.name)
    if (entry.header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      await text(entry)
      continue
    }
    const parts: Buffer[] = []
    for await (const part of entry) parts.push(part as Buffer)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, Buffer.concat(parts), { mode: 0o600 })
  }
  await feeding
}

/** The rows of `public.stored` in a database that is restored from a backup, and from a folder with the log after it. */
async function restoredVersions(dir: string, manifest: BackupManifest, log?: string): Promise<string[]> {
  const identities = await identitiesOf(dir)
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-restored-'))
  try {
    mkdirSync(join(dataDir, 'postgres'), { mode: 0o700 })
    await unpack(readPart(dir, manifest, 'settings', identities), dataDir)
    await unpack(readPart(dir, manifest, 'base', identities), join(dataDir, 'postgres'))
    if (log !== undefined) {
      writeFileSync(join(dataDir, 'postgres', 'recovery.signal'), '')
      writeFileSync(
        join(dataDir, 'postgres', 'postgresql.auto.conf'),
        `restore_command = 'cp "${log}/%f" "%p"'\n`,
      )
    }
    if (process.getuid!() === 0) execFileSync('chown', ['-R', 'nobody', join(dataDir, 'postgres')])
    const restored = await startPostgres({ dataDir })
    try {
      const client = new Client(restored.config('postgres'))
      await client.connect()
      const { rows } = await client.query<{ version: string }>('select version from public.stored')
      await client.end()
      return rows.map(({ version }) => version)
    } finally {
      await restored.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

it('a restored database has the bytes of every object, although objects come and go during the backup', async () => {
  const { to } = options()
  const versions = await Promise.all(Array.from({ length: 30 }, (_, index) => upload(`file ${index}`)))
  // Objects change in each step of the backup, up to a number: the disk may be slower than the changes.
  let changes = 0
  const backup = { isDone: false }
  let onStep = (): void => {}
  const step = (): void => {
    changes = 0
    onStep()
  }
  const changing = (async () => {
    while (!backup.isDone) {
      if (changes++ < 25) {
        versions.push(await upload(randomUUID()))
        await remove(versions.shift()!)
      } else await new Promise<void>((resolve) => (onStep = resolve))
    }
  })()
  const result = await createBackup(options({ progress: { step, advance() {} } })).finally(() => {
    backup.isDone = true
    onStep()
    return changing
  })
  expect(existsSync(join(postgres.dataDir, 'storage', 'removed'))).toBe(false)
  const manifest = await readManifest(to, result.id)
  await verifyParts(to, manifest)
  const listed = new Set<string>()
  for await (const version of readVersions(to, manifest)) listed.add(version)
  expect(listed.size).toBe(manifest.files.count)
  const restored = await restoredVersions(to, manifest)
  // One more if the copy ends between an upload and the removal after it.
  expect([30, 31]).toContain(restored.length)
  const files = createStoredFiles(to, await identitiesOf(to))
  for (const version of restored) {
    expect(listed.has(version)).toBe(true)
    const content = await files.open(version)
    let size = 0
    for await (const part of content!) size += part.length
    expect(size).toBeGreaterThan(0)
  }
  expect(manifest).toMatchObject({ timeline: 1, platform: `${process.platform}-${process.arch}` })
  expect(readBackupState(postgres.dataDir)).toMatchObject({
    backup: { id: result.id, dir: to, keyStorage: 'plain', hasRecoverySheet: false },
    failure: null,
  })
})

/** Starts the archive of the log, which ends after the test. */
function startArchiver(to: string): WalArchiver {
  const archiver = createWalArchiver({
    dataDir: postgres.dataDir,
    database: postgres.config('postgres'),
    openRepository: () => openOwnRepository(to, options()),
    maxLagBytes: 2 ** 30,
    reserveBytes: 0,
    log: noLogger,
  })
  ending.push(async () => {
    await archiver.close()
    await endContinuous(join(postgres.dataDir, 'storage'))
  })
  return archiver
}

/** Resolves when the repository has everything that the database has committed. */
async function untilArchived(): Promise<void> {
  const { rows } = await pool.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
  await vi.waitUntil(
    () => {
      const archived = readBackupState(postgres.dataDir).wal?.archivedLsn
      return archived !== undefined && parseLsn(archived) >= parseLsn(rows[0]!.lsn)
    },
    { timeout: 240_000 },
  )
}

it('the archived log restores what was committed after the backup, and the files of that time', async () => {
  const { to } = options()
  const { dir } = await openOwnRepository(to, options())
  const archiver = startArchiver(to)
  await untilArchived()
  expect(await archiver.needsBackup()).toBe((await listBackups(dir)).backups.length === 0)
  const { id } = await createBackup(options())
  const after = await upload('after the backup')
  archiver.addFile(after)
  await postgres.pool('supabase_admin', 1).query('select pg_switch_wal()')
  const removed = await upload('removed at once')
  archiver.addFile(removed)
  await untilArchived()
  await remove(removed)
  const last = await upload('last')
  archiver.addFile(last)
  for (const end of ending.splice(0)) await end()
  const manifest = await readManifest(to, id)
  const identities = await identitiesOf(to)
  const chunks = selectWalOf(manifest, await listWal(dir, manifest.log))
  expect(chunks.some(({ compressed }) => compressed)).toBe(true)
  const log = mkdtempSync(join(tmpdir(), 'linnet-log-'))
  chmodSync(log, 0o755)
  await writeSegments(dir, manifest.log, chunks, identities, log)
  for (const name of readdirSync(log)) chmodSync(join(log, name), 0o644)
  const restored = await restoredVersions(to, manifest, log)
  rmSync(log, { recursive: true })
  const { rows } = await pool.query<{ version: string }>('select version from public.stored')
  expect(restored.sort()).toEqual(rows.map(({ version }) => version).sort())
  expect(restored).toContain(last)
  const files = createStoredFiles(to, identities)
  for (const version of [after, removed, last]) expect(await files.open(version)).not.toBeNull()
  const slots = await pool.query(`select 1 from pg_replication_slots where slot_name = 'linnet_archive'`)
  expect(slots.rows).toHaveLength(1)
})

/** Dates all backups and files back, as if they had been made two days earlier. */
function ageBackups(dir: string): void {
  const ageMs = 48 * 60 * 60 * 1000
  const time = new Date(Date.now() - ageMs)
  for (const id of readdirSync(paths.backups(dir))) {
    const manifest = JSON.parse(readFileSync(paths.manifest(dir, id), 'utf8')) as BackupManifest
    // Each by the same time: the times order backups of different logs.
    const startedAt = new Date(Date.parse(manifest.startedAt) - ageMs).toISOString()
    writeFileSync(paths.manifest(dir, id), JSON.stringify({ ...manifest, startedAt }))
  }
  for (const shard of readdirSync(paths.files(dir)))
    for (const name of readdirSync(paths.shard(dir, shard)))
      utimesSync(join(paths.shard(dir, shard), name), time, time)
}

it('the archive uses a new key from the next range on', async () => {
  const { to } = options()
  const archiver = startArchiver(to)
  await untilArchived()
  const key = await rotateKey(to, { passphrase: null, newPassphrase: null })
  await upload('after the rotation')
  await untilArchived()
  const { log, timeline } = (await listBackups(to)).backups.at(-1)!
  const chunks = (await listWal(to, log)).filter((chunk) => chunk.timeline === timeline)
  for (const end of ending.splice(0)) await end()
  expect(await archiver.needsBackup()).toBe(false)
  let size = 0
  for await (const part of readWal(to, log, chunks.at(-1)!, [key.identity])) size += part.length
  expect(size).toBeGreaterThan(0)
})

it('a position of the log that is being recorded does not end a backup', async () => {
  const mark = join(postgres.dataDir, 'postgres', 'linnet-archive.json')
  rmSync(mark, { force: true })
  // The file that is about to get the name of this folder stays as it is for a moment: not readable by PostgreSQL.
  mkdirSync(mark)
  const recorded = recordPosition(postgres.dataDir, { writer: 'a', timeline: 1, position: 1n })
  await expect(recorded).rejects.toThrow('EISDIR')
  rmdirSync(mark)
  const unfinished = readdirSync(dirname(mark)).filter((name) => name.includes('linnet-archive'))
  expect(unfinished).toHaveLength(1)
  const file = join(dirname(mark), unfinished[0]!)
  chownSync(file, process.getuid!(), process.getgid!())
  chmodSync(file, 0)
  try {
    await createBackup(options({ to: join(folder, 'unfinished') }))
  } finally {
    rmSync(file)
  }
})

it('a repository that disappears during a backup is reported with a sentence', async () => {
  const to = join(folder, 'disappearing')
  const step = (title: string): void => {
    if (title === 'Copying the database and files') rmSync(to, { recursive: true })
  }
  await expect(createBackup(options({ to, progress: { step, advance() {} } }))).rejects.toThrow(
    `The backups in ${to} have disappeared. Check that their disk is mounted.`,
  )
})

it('another writer is refused, and expired backups are removed with their files', async () => {
  const { to } = options()
  const old = await upload('old')
  const retention = { days: 1, weeks: 0, months: 0 }
  const first = await createBackup(options({ retention }))
  ageBackups(to)
  // What a killed backup leaves.
  writeFileSync(join(paths.incoming(to), 'half'), 'x')
  await remove(old)
  const both = await Promise.allSettled([
    createBackup(options({ retention })),
    createBackup(options({ retention })),
  ])
  const [second] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [refused] = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  expect(refused!.message).toMatch(/^Another process backs up/)
  expect(second!.removed).toContain(first.id)
  expect((await listBackups(to)).backups.map(({ id }) => id)).toEqual([second!.id])
  // No backup needs the file of the removed object any more.
  const files = createStoredFiles(to, await identitiesOf(to))
  expect(await files.open(old)).toBeNull()
  expect(readdirSync(paths.incoming(to))).toEqual([])
})

it('too little space ends a backup before it begins, and the failure is recorded', async () => {
  const { to } = options()
  await createBackup(options())
  ageBackups(to)
  const before = [(await createBackup(options())).id]
  const retention = { days: 0, weeks: 0, months: 0 }
  // Expired backups are removed first, because they may use the space.
  await expect(createBackup(options({ reserveBytes: 1e15, retention }))).rejects.toThrow(
    `There is too little space for a backup in ${to}`,
  )
  expect((await listBackups(to)).backups.map(({ id }) => id)).toEqual(before)
  expect(readBackupState(postgres.dataDir).failure?.reason).toContain('There is too little space')
})

it('an interrupted backup leaves nothing behind', async () => {
  const to = join(folder, 'other')
  const interrupted = new AbortController()
  const progress = {
    step() {},
    advance: () => interrupted.abort(new Error('interrupted')),
  }
  await expect(createBackup(options({ to, signal: interrupted.signal, progress }))).rejects.toThrow(
    'interrupted',
  )
  expect((await listBackups(to)).backups).toEqual([])
  expect(existsSync(join(postgres.dataDir, 'storage', 'removed'))).toBe(false)
})
