import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBackup } from '../backup/createBackup.ts'
import { createKey, readKeys } from '../backup/repository/keys.ts'
import { paths, renderWalChunk } from '../backup/repository/layout.ts'
import type { BackupManifest } from '../backup/repository/manifest.ts'
import { parseLsn } from '../postgres/connections/lsn.ts'
import { openRepository } from '../backup/repository/openRepository.ts'
import { listWal } from '../backup/repository/readStored.ts'
import { segmentName, segmentStart } from '../postgres/connections/lsn.ts'
import { writeStored } from '../backup/repository/writeStored.ts'
import { readBackupState } from '../backup/state.ts'
import { createPool, type Pool } from '../postgres/connections/pool.ts'
import { startPostgres } from '../postgres/server/startPostgres.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../postgres/server/temporaryPostgres.ts'
import { readRestoreMarker } from './marker.ts'
import { restoreBackup, type RestoreOptions } from './restoreBackup.ts'
import { selectBackup } from './selectBackup.ts'
import { verifyBackup } from './verifyBackup.ts'

const progress = { step() {}, advance() {} }
let original: TemporaryPostgres
let admin: Pool
let folder: string
let repository: string
let identities: string[]
/** A moment at which `a` and `b` were stored and `c` was not. */
let between: Date
const fileVersion = randomUUID()
const lostVersion = randomUUID()

const addMessage = (id: string): Promise<unknown> =>
  admin.query('insert into public.messages values ($1)', [id])

async function addFile(name: string, version: string, text: string | null): Promise<void> {
  if (text !== null) {
    const path = join(original.dataDir, 'storage', 'objects', version.slice(0, 2), version)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  await admin.query(`insert into storage.objects (bucket_id, name, version) values ('files', $1, $2)`, [
    name,
    version,
  ])
}

const now = async (): Promise<Date> =>
  (await admin.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now

/** Stores the log since the start of a backup as one range, as the server does while it runs. */
async function archiveLog({ startLsn, log: name }: BackupManifest): Promise<void> {
  const { rows } = await admin.query<{ end: string }>('select pg_switch_wal()::text as end')
  const start = segmentStart(parseLsn(startLsn))
  const end = parseLsn(rows[0]!.end)
  const opened = await openRepository(repository)
  async function* log(): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at = segmentStart(at) + 16n * 1024n * 1024n) {
      const bytes = readFileSync(join(original.dataDir, 'postgres', 'pg_wal', segmentName(1, at)))
      yield bytes.subarray(0, Number(end - at))
    }
  }
  const stored = await writeStored(opened, log(), { compress: true })
  const target = paths.timeline(repository, name, 1)
  mkdirSync(target, { recursive: true })
  await stored.publish(join(target, renderWalChunk({ start, end, writtenAt: Date.now(), compressed: true })))
}

beforeAll(async () => {
  original = await temporaryPostgres()
  admin = original.pool('supabase_admin')
  folder = mkdtempSync(join(tmpdir(), 'linnet-restore-'))
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  repository = join(folder, 'backups')
  await admin.query('create table public.messages (id text primary key)')
  await admin.query(`insert into storage.buckets (id, name) values ('files', 'files')`)
  await addMessage('a')
  await addFile('kept', fileVersion, 'kept bytes')
  const user = randomUUID()
  await admin.query('insert into auth.users (id) values ($1)', [user])
  await admin.query('insert into auth.sessions (id, user_id) values (gen_random_uuid(), $1)', [user])
  await admin.query(
    `insert into linnet_platform.mails (kind, recipient, subject, html, plain, expires_at)
     values ('invite', 'bea@x.example', '', '', '', now() + interval '1 hour')`,
  )
  await admin.query(`insert into net.http_request_queue (method, url, timeout_milliseconds)
    values ('GET', 'https://elsewhere.example/', 1000)`)
  // PostgreSQL keeps the log until it is archived.
  await admin.query(`select pg_create_physical_replication_slot('archive', true)`)
  await createBackup({
    dataDir: original.dataDir,
    to: repository,
    database: original.config('postgres'),
    version: '0.1.0',
    installation: 'abcd1234',
    retention: { days: 7, weeks: 4, months: 6 },
    isRestored: false,
    isChosen: false,
    publicKey: null,
    passphrase: null,
    reserveBytes: 0,
    progress,
  })
  identities = (await readKeys(repository, null)).map(({ identity }) => identity)
  await addMessage('b')
  between = await now()
  // The moment has milliseconds, and commit times have microseconds.
  await admin.query('select pg_sleep(0.01)')
  await addMessage('c')
  await addFile('lost', lostVersion, null)
  const { manifest } = await selectBackup(repository, { backup: null, at: null })
  await archiveLog(manifest)
})
afterAll(async () => {
  await original.stop()
  rmSync(folder, { recursive: true })
})

async function optionsFor(name: string, at: Date | null = null): Promise<RestoreOptions> {
  const selected = await selectBackup(repository, { backup: null, at })
  return { from: repository, selected, identities, dataDir: join(folder, name), at, progress }
}

/** Starts PostgreSQL on restored data. */
async function inRestored<T>(dataDir: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const postgres = await startPostgres({ dataDir })
  const pool = createPool(postgres.config('supabase_admin'), { max: 1, name: 'restored' })
  try {
    return await work(pool)
  } finally {
    await pool.end()
    await postgres.stop()
  }
}

const count = async (pool: Pool, table: string): Promise<number> =>
  Number((await pool.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]!.count)

const leftovers = (name: string): string[] => readdirSync(folder).filter((one) => one.startsWith(name))

it('restores the latest state on a new timeline, keeps sessions, and discards unsent mails and requests', async () => {
  const o = await optionsFor('latest')
  const restored = await restoreBackup(o)
  expect(restored).toMatchObject({
    rows: { 'public.messages': 3 },
    files: 1,
    fileBytes: 10,
    missing: 1,
    missingNames: ['files/lost'],
    hasEndedSessions: false,
  })
  expect(restored.recoveredTo.getTime()).toBeGreaterThan(between.getTime())
  expect(
    readFileSync(join(o.dataDir, 'storage', 'objects', fileVersion.slice(0, 2), fileVersion), 'utf8'),
  ).toBe('kept bytes')
  expect(readRestoreMarker(o.dataDir)).toMatchObject({
    backup: o.selected.manifest.id,
    recoveredTo: restored.recoveredTo.toISOString(),
  })
  expect(existsSync(join(o.dataDir, 'postgres', 'linnet-restore'))).toBe(false)
  expect(readFileSync(join(o.dataDir, 'postgres', 'postgresql.auto.conf'), 'utf8')).not.toContain('restore')
  await inRestored(o.dataDir, async (pool) => {
    expect(await count(pool, 'auth.sessions')).toBe(1)
    expect(await count(pool, 'linnet_platform.mails')).toBe(0)
    expect(await count(pool, 'net.http_request_queue')).toBe(0)
    const { rows } = await pool.query('select timeline_id from pg_control_checkpoint()')
    expect(rows).toEqual([{ timeline_id: 2 }])
  })
  // The commands show the backup from which the data come, until the copy makes its own.
  expect(readBackupState(join(folder, 'latest')).backup).toMatchObject({
    id: (await optionsFor('latest')).selected.manifest.id,
    dir: repository,
    keyStorage: 'plain',
  })
  expect(leftovers('latest')).toEqual(['latest'])
  expect(readdirSync(o.dataDir)).not.toContain('restore.partial')
})

it('restores a moment between two messages, and ends all sessions', async () => {
  const o = await optionsFor('moment', between)
  const restored = await restoreBackup(o)
  expect(restored).toMatchObject({ rows: { 'public.messages': 2 }, missing: 0, hasEndedSessions: true })
  expect(restored.recoveredTo.getTime()).toBeLessThanOrEqual(between.getTime())
  await inRestored(o.dataDir, async (pool) => {
    expect((await pool.query('select id from public.messages order by id')).rows).toEqual([
      { id: 'a' },
      { id: 'b' },
    ])
    expect(await count(pool, 'auth.sessions')).toBe(0)
  })
})

it('restores a moment after the last transaction', async () => {
  const chunks = await listWal(repository, (await optionsFor('unused')).selected.manifest.log)
  const o = await optionsFor('end', new Date(chunks.at(-1)!.writtenAt))
  expect((await restoreBackup(o)).rows).toMatchObject({ 'public.messages': 3 })
})

it('refuses a time that the backups do not cover, and names the times that they cover', async () => {
  await expect(optionsFor('never', new Date('2020-01-01T00:00:00Z'))).rejects.toThrow(
    /^The first backup ended at .* No earlier moment can be restored\.$/,
  )
  await expect(optionsFor('never', new Date(Date.now() + 3_600_000))).rejects.toThrow(
    /^The backups reach up to .* Choose that moment or an earlier one/,
  )
})

it.each<[string, RegExp, (o: RestoreOptions) => unknown]>([
  ['another key', /The key does not open/, async (o) => (o.identities = [(await createKey()).identity])],
  [
    'too little space',
    /^The restore needs at least .* GiB in .*, and .* GiB are free\./,
    (o) => {
      const { manifest } = o.selected
      const base = { ...manifest.parts.base, plainBytes: 1e17 }
      o.selected = { ...o.selected, manifest: { ...manifest, parts: { ...manifest.parts, base } } }
    },
  ],
  ['a folder that is not empty', /is not empty/, (o) => (o.dataDir = join(folder, 'backups'))],
  [
    'a folder that contains the name of an incomplete restore',
    /is not empty/,
    (o) => mkdirSync(join(o.dataDir, 'restore.partial'), { recursive: true }),
  ],
])('refuses %s with a sentence, and leaves nothing behind', async (_, message, change) => {
  const o = await optionsFor(`refused-${randomUUID()}`)
  await change(o)
  const before = readdirSync(folder)
  await expect(restoreBackup(o)).rejects.toThrow(message)
  expect(readdirSync(folder)).toEqual(before)
})

/** Makes an empty folder that cannot be renamed. The returned function ends that. */
function createFixedFolder(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true })
  if (process.getuid!() !== 0) {
    chmodSync(dirname(dataDir), 0o555)
    return () => chmodSync(dirname(dataDir), 0o755)
  }
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=700', 'linnet-test', dataDir])
  // As a file system that was created there.
  mkdirSync(join(dataDir, 'lost+found'))
  return () => execFileSync('umount', [dataDir])
}

/** Containers without rights of the system cannot mount. */
function canCreateFixedFolder(): boolean {
  if (process.getuid!() !== 0) return true
  const probe = mkdtempSync(join(tmpdir(), 'linnet-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'linnet-test', probe], { stdio: 'ignore' })
    execFileSync('umount', [probe])
    return true
  } catch {
    return false
  } finally {
    rmSync(probe, { recursive: true })
  }
}

it.skipIf(!canCreateFixedFolder())('restores into an empty folder that cannot be renamed', async () => {
  const o = await optionsFor('fixed/data')
  const release = createFixedFolder(o.dataDir)
  try {
    expect((await restoreBackup(o)).rows).toMatchObject({ 'public.messages': 3 })
    expect(readdirSync(o.dataDir)).not.toContain('restore.partial')
    await inRestored(o.dataDir, async (pool) => expect(await count(pool, 'public.messages')).toBe(3))
  } finally {
    release()
  }
})

it('no server starts on a half-moved restore, and a repeated restore removes it', async () => {
  const o = await optionsFor('half-moved')
  await restoreBackup(o)
  // The last entries were not moved yet.
  const partial = join(o.dataDir, 'restore.partial')
  mkdirSync(partial)
  writeFileSync(join(partial, 'incomplete-restore'), '')
  renameSync(join(o.dataDir, 'storage'), join(partial, 'storage'))
  await expect(startPostgres({ dataDir: o.dataDir })).rejects.toThrow(
    `A restore into ${o.dataDir} was interrupted, so these data are not complete. Run linnet restore again`,
  )
  expect((await restoreBackup(o)).rows).toMatchObject({ 'public.messages': 3 })
  expect(existsSync(partial)).toBe(false)
  await inRestored(o.dataDir, async (pool) => expect(await count(pool, 'public.messages')).toBe(3))
})

it('only one process restores into a folder, and no server starts on it meanwhile', async () => {
  const o = await optionsFor('locked')
  const refused: Promise<unknown>[] = []
  const step = (): void => {
    if (refused.length > 0) return
    refused.push(restoreBackup({ ...o, progress }).catch((error: Error) => error.message))
    refused.push(startPostgres({ dataDir: o.dataDir }).catch((error: Error) => error.message))
  }
  await restoreBackup({ ...o, progress: { step, advance() {} } })
  for (const message of await Promise.all(refused)) expect(message).toContain(`${o.dataDir} is in use`)
})

it('removes the incomplete copy of an interrupted restore', async () => {
  const o = await optionsFor('interrupted')
  const interruption = new AbortController()
  const interrupted = restoreBackup({
    ...o,
    signal: interruption.signal,
    progress: { step() {}, advance: () => interruption.abort(new Error('interrupted')) },
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  expect(leftovers('interrupted')).toEqual([])
})

it('verifies a backup while the original server runs, and records the result', async () => {
  const o = await optionsFor('unused')
  const verified = await verifyBackup(original.dataDir, { ...o, quick: false })
  expect(verified).toMatchObject({ rows: { 'public.messages': 1 }, files: 1, missing: 0 })
  const { id } = o.selected.manifest
  expect(readBackupState(original.dataDir).verification).toMatchObject({ id, failure: null })
  const manifest = { ...o.selected.manifest, rows: { 'public.messages': { before: 5, after: 6 } } }
  await expect(
    verifyBackup(original.dataDir, { ...o, selected: { manifest, wal: [] }, quick: true }),
  ).rejects.toThrow('public.messages has 1 rows instead of 5 to 6')
  expect(readBackupState(original.dataDir).verification!.failure).toContain('instead of 5 to 6')
  expect(readdirSync(original.dataDir).filter((name) => name.includes('verify'))).toEqual([])
})

it('explains why it refuses damaged, truncated and newer backups', async () => {
  const o = await optionsFor('damaged')
  const { manifest, wal } = o.selected
  const chunk = join(paths.timeline(repository, manifest.log, 1), renderWalChunk(wal[0]!))
  const bytes = readFileSync(chunk)
  writeFileSync(chunk, bytes.subarray(0, bytes.length / 2))
  await expect(restoreBackup(o)).rejects.toThrow(/is damaged or truncated\.$/)
  const base = join(paths.backup(repository, manifest.id), manifest.parts.base.name)
  const original = readFileSync(base)
  writeFileSync(base, Buffer.concat([original.subarray(0, -1), Buffer.from([original.at(-1)! ^ 1])]))
  await expect(restoreBackup(o)).rejects.toThrow(/is damaged\.$/)
  truncateSync(base, 1000)
  await expect(restoreBackup(o)).rejects.toThrow(/is truncated: it has 1000 of/)
  writeFileSync(
    paths.manifest(repository, manifest.id),
    JSON.stringify({ ...manifest, format: manifest.format + 1 }),
  )
  await expect(optionsFor('damaged')).rejects.toThrow(/was written by a newer Linnet/)
  expect(leftovers('damaged')).toEqual([])
})
