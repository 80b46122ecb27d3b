import { setImmediate } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import type { ArchiveFile, ArchiveRow } from './ArchiveRow.ts'
import { ArchiveError, type ImportRequest } from './ImportRequest.ts'
import { createCounts, type Receipt, type ReceiptCounts } from './Receipt.ts'
import { ownerOfObject } from './objectNames.ts'
import { checkStorageQuota, sumNewBytes } from './storageQuota.ts'
import { findArchivedTable } from './tables.ts'
import { createWorkspace, removeWorkspace, runInTransaction, type Connection } from './importTransaction.ts'
import { completeImportedChannels, linkAccounts, startWaitingRows } from './completeImport.ts'
import { readCredentials, secretsTable, storeSecrets } from './credentials.ts'
import { groupBy } from './groupBy.ts'
import type { ImportState } from './ImportState.ts'
import { setConversationKeys, writeRows } from './writeRows.ts'

const defaultRowsPerBatch = 1_000
/** PostgreSQL can wait for the next statement while this number of rows is converted. */
const rowsPerPause = 25
/** The memory that the rows of a batch take, approximately. */
const maxBatchCharacters = 8_000_000

/**
 * Writes rows and files to a workspace, which it creates if the rows contain it. Rows that exist stay as they are: a repeated import
 * changes nothing, and an interrupted one continues. Nobody is notified, and the only new jobs read the texts of files.
 * Throws ArchiveError for rows that the schema or the rights of other workspaces refuse. A workspace that this import has created is
 * removed then. Only an import with `isAtomic` leaves a workspace that existed before as it was.
 */
export async function importRows(request: ImportRequest): Promise<Receipt> {
  const { database, services, workspaceId } = request
  const startedAt = new Date().toISOString()
  const tables: Record<string, ReceiptCounts> = {}
  const files: Record<string, ReceiptCounts> = {}
  const state: ImportState = {
    database,
    workspaceId,
    withCredentials: request.withCredentials ?? false,
    profileIds: new Map(),
    accounts: [],
    counts: (table) => (tables[table] ??= createCounts()),
  }
  await prepare(database, workspaceId)
  const isCreated = request.isContinued === true || !(await hasWorkspace(database, workspaceId))
  try {
    // A workspace that the import creates gets the quota of the archive, and may use more of it, as the original does.
    if (!isCreated)
      await checkStorageQuota(database, workspaceId, await sumNewBytes(database, request.plannedFiles ?? []))
    if (request.isAtomic) await runInTransaction(database, () => writeAll(state, request, (work) => work()))
    else await writeAll(state, request, (work) => runInTransaction(database, work))
    await importFiles(request, (bucket) => (files[bucket] ??= createCounts()))
    await completeWithConnections(state, request)
    await linkAccounts(state, services)
    await startWaitingRows(state)
    await announce(database, workspaceId)
  } catch (error) {
    const explained = explain(error)
    if (isCreated && explained instanceof ArchiveError && !(await hasLinkedAccounts(state)))
      await removeWorkspace(database, workspaceId)
    throw explained
  } finally {
    // The connection can have ended.
    await database.query('reset synchronous_commit').catch(() => {})
    await database
      .query(`select pg_advisory_unlock(hashtextextended('import/' || $1, 0))`, [workspaceId])
      .catch(() => {})
  }
  return { workspaceId, tables, files, startedAt, finishedAt: new Date().toISOString() }
}

/** Sends one event for all changes: open pages find a gap between the numbers, and fetch the changes. All commits are on the disk then. */
async function announce(database: Connection, workspaceId: string): Promise<void> {
  await database.query('reset synchronous_commit')
  await database.query(
    `select app.notify_workspace($1, 'workspace_changed', jsonb_build_object('workspace', app.workspace_as_json($1)))`,
    [workspaceId],
  )
}

/** PostgreSQL uses one core for each connection. */
async function completeWithConnections(
  state: ImportState,
  { database, connect }: ImportRequest,
): Promise<void> {
  const second = await connect?.()
  try {
    await completeImportedChannels(state, second === undefined ? [database] : [database, second])
  } finally {
    await second?.end()
  }
}

async function hasWorkspace(database: Connection, workspaceId: string): Promise<boolean> {
  const { rows } = await database.query('select from public.workspaces where id = $1', [workspaceId])
  return rows.length > 0
}

async function prepare(database: Client, workspaceId: string): Promise<void> {
  await database.query(`set timezone = 'UTC'`)
  // A commit that is lost by a crash is written again when the import continues. The last one waits for the disk: see announce.
  await database.query('set synchronous_commit = off')
  // One import of a workspace at a time.
  const { rows } = await database.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('import/' || $1, 0)) as locked`,
    [workspaceId],
  )
  if (!rows[0]!.locked) throw new ArchiveError('Another import into this workspace is running.')
  await database.query(`drop table if exists pg_temp.import_people, pg_temp.import_channels`)
  await database.query(`create temp table import_people (id uuid primary key, is_new boolean not null)`)
  await database.query(`create temp table import_channels (id uuid primary key)`)
  await database.query(
    `insert into import_people select profile_id, false from public.workspace_members where workspace_id = $1`,
    [workspaceId],
  )
}

/** Whether an account of the archive has its profile, which is the last step of an import. People can use the workspace then. */
async function hasLinkedAccounts({ database, accounts, profileIds }: ImportState): Promise<boolean> {
  const { rows } = await database.query(
    'select from public.profiles p where p.id = any ($1) and p.user_id is not null limit 1',
    [accounts.map(({ profileId }) => profileId).filter((id) => !profileIds.has(id))],
  )
  return rows.length > 0
}

/** Runs a part of an import in a transaction. */
type Run = (work: () => Promise<void>) => Promise<void>

async function writeAll(state: ImportState, request: ImportRequest, run: Run): Promise<void> {
  await importBatches(state, request, run)
  await run(() => setConversationKeys(state))
  if (!(await hasWorkspace(state.database, state.workspaceId)))
    throw new ArchiveError('The archive contains no workspace, and the server does not have it.')
}

/** Reads the next batch while the database writes one. */
async function importBatches(state: ImportState, request: ImportRequest, run: Run): Promise<void> {
  let batch: ArchiveRow[] = []
  let characters = 0
  let written = 0
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    await writing
    const rows = batch
    batch = []
    characters = 0
    if (rows.length === 0) return
    writing = run(() => writeBatch(state, rows)).then(() => {
      written += rows.length
      request.onProgress?.({ rows: written, files: 0 })
    })
    // The next call awaits it and throws its error.
    writing.catch(() => {})
  }
  const { rowsPerBatch = defaultRowsPerBatch } = request
  try {
    for await (const row of request.rows) {
      batch.push(row)
      for (const value of Object.values(row.row)) characters += typeof value === 'string' ? value.length : 40
      if (batch.length >= rowsPerBatch || characters >= maxBatchCharacters) await write()
      // Many rows can be converted without a pause, in which the next statement could be sent.
      else if (batch.length % rowsPerPause === 0) await setImmediate()
    }
    await write()
  } finally {
    await writing
  }
}

async function writeBatch(state: ImportState, rows: ArchiveRow[]): Promise<void> {
  const byTable = groupBy(rows, ({ table }) => table)
  for (const { row } of byTable.get('accounts') ?? []) await readAccount(state, row)
  for (const name of byTable.keys())
    if (name !== 'accounts' && name !== secretsTable && findArchivedTable(name) === undefined)
      throw new ArchiveError(`The archive contains the table ${name}, which this version does not know.`)
  for (const { row } of byTable.get('workspaces') ?? []) await createWorkspace(state, row)
  await writeRows(state, byTable)
  if (state.withCredentials)
    await storeSecrets(
      state,
      (byTable.get(secretsTable) ?? []).map(({ row }) => row),
    )
}

/** Finds the account with an address. Its profile replaces the one of the archive. */
async function readAccount(state: ImportState, row: Record<string, unknown>): Promise<void> {
  const { id, profile_id: profileId, email } = row
  if (typeof id !== 'string' || typeof profileId !== 'string' || typeof email !== 'string')
    throw new ArchiveError('The archive contains an account without an id, a profile or an address.')
  const counts = state.counts('accounts')
  counts.read++
  const { rows } = await state.database.query<{ is_confirmed: boolean; profile_id: string | null }>(
    `select u.email_confirmed_at is not null as is_confirmed, p.id as profile_id
     from auth.users u left join public.profiles p on p.user_id = u.id
     where lower(u.email) = lower($1) and not u.is_sso_user limit 1`,
    [email],
  )
  const found = rows[0]
  if (found !== undefined && !found.is_confirmed)
    throw new ArchiveError(
      `The account ${email} on this server has not confirmed its address. Delete it, or confirm the address.`,
    )
  if (found !== undefined && found.profile_id !== null && found.profile_id !== profileId)
    state.profileIds.set(profileId, found.profile_id)
  if (found?.profile_id) {
    counts.present++
    await state.database.query('insert into import_people values ($1, false) on conflict do nothing', [
      found.profile_id,
    ])
  }
  const credentials = state.withCredentials ? readCredentials(row['credentials']) : null
  state.accounts.push({ id, profileId, email, credentials })
}

async function importFiles(request: ImportRequest, counts: (bucket: string) => ReceiptCounts): Promise<void> {
  let stored = 0
  for await (const file of request.files) {
    const owner = ownerOfObject(file.bucket, file.name)
    if (owner === null) throw new ArchiveError(`The archive contains a file with the name ${file.name}.`)
    const count = counts(file.bucket)
    count.read++
    if (!(await belongsToImport(request, file, owner))) {
      count.skipped['of another workspace'] = (count.skipped['of another workspace'] ?? 0) + 1
      continue
    }
    if (await request.services.storeObject(file)) count.written++
    else count.present++
    request.onProgress?.({ rows: 0, files: ++stored })
  }
}

async function belongsToImport(
  { database, workspaceId }: ImportRequest,
  { bucket }: ArchiveFile,
  owner: string,
): Promise<boolean> {
  const { rows } = await database.query(
    bucket === 'files'
      ? 'select from public.channels where id = $1 and workspace_id = $2'
      : 'select where $1::uuid = $2::uuid or exists (select from import_people where id = $1 and is_new)',
    [owner, workspaceId],
  )
  return rows.length > 0
}

/** Errors of the database that name a rule are mistakes of the archive. */
function explain(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const rule = error.constraint ?? (error.code?.startsWith('PT') ? error.message : undefined)
  if (rule === undefined && !/^2[23]/.test(error.code ?? '')) return error
  const table = error.table === undefined ? '' : ` of the table ${error.table}`
  return new ArchiveError(`The archive contains a row${table} that is refused: ${rule ?? error.message}.`, {
    cause: error,
  })
}
