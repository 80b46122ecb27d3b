import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { readRestoreMarker, removeRestoreMarker, type RestoreMarker } from './marker.ts'
import { commandName } from '../runtime/commandName.ts'

/** The interval at which a paused server checks whether the restore was confirmed, in ms. */
const checkIntervalMs = 1_000

/** Whether this server is a restored copy that sends nothing to other servers yet. */
export interface OutgoingPause {
  isPaused(): boolean
  /** The restore that is to be confirmed; null if nothing is paused. */
  pending(): RestoreMarker | null
  /** Confirms that the original is gone. */
  resume(): Promise<void>
  /** Stops checking for a confirmation in the app or by another process. */
  close(): Promise<void>
}

/** Whether the schema of the project has a function of Linnet's schema. */
async function hasFunction(pool: Pool, signature: string): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>('select to_regprocedure($1) is not null as known', [
    signature,
  ])
  return rows[0]!.known
}

/**
 * Confirms a restore: in the database first, and then by removing the mark of the data folder. A schema of another project
 * has only the mark.
 * @param pool connects as postgres
 */
export async function confirmRestore(dataDir: string, pool: Pool): Promise<void> {
  if (await hasFunction(pool, 'public.resume_outgoing()')) await pool.query('select public.resume_outgoing()')
  removeRestoreMarker(dataDir)
}

/** Whether the database still waits for the confirmation. Without Linnet's schema the mark alone counts. */
async function isPausedInDatabase(pool: Pool): Promise<boolean> {
  if (!(await hasFunction(pool, 'app.is_outgoing_paused()'))) return true
  const { rows } = await pool.query<{ paused: boolean }>('select app.is_outgoing_paused() as paused')
  return rows[0]!.paused
}

/**
 * Pauses everything outgoing where the data folder is marked as a restored copy, until `resume`, `linnet resume` or an owner in
 * the app confirms it. Resolves before any service may start.
 * @param o.openPool opens a pool that connects as postgres; it is called for a restored copy only
 */
export async function openOutgoingPause(o: {
  dataDir: string
  openPool: () => Pool
  log: Logger
}): Promise<OutgoingPause> {
  const { dataDir, log } = o
  let marker = readRestoreMarker(dataDir)
  if (marker === null)
    return { isPaused: () => false, pending: () => null, resume: async () => {}, close: async () => {} }
  const pool = o.openPool()
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | null = null
  let isClosed = false
  const finish = (): void => {
    if (marker === null) return
    marker = null
    clearTimeout(timer)
    log.info('server.restore_confirmed', { effect: 'notifications, mails and other requests are sent again' })
  }
  const check = async (): Promise<void> => {
    try {
      // Another process has removed the mark, or an owner has confirmed the restore in the app.
      if (readRestoreMarker(dataDir) === null) finish()
      else if (!(await isPausedInDatabase(pool))) {
        removeRestoreMarker(dataDir)
        finish()
      }
    } catch {
      // The database is unavailable. It stays paused.
    }
    if (marker !== null && !isClosed) schedule()
  }
  const schedule = (): void => {
    timer = setTimeout(() => {
      checking = check().finally(() => (checking = null))
    }, checkIntervalMs)
    timer.unref()
  }
  if (await hasFunction(pool, 'public.pause_outgoing(uuid, timestamptz)'))
    await pool.query('select public.pause_outgoing($1, $2)', [marker.id, marker.recoveredTo])
  // An owner has confirmed it in the app just before the server was killed.
  if (await isPausedInDatabase(pool)) {
    log.warn('server.outgoing_paused', {
      reason: 'these data were restored from a backup',
      fix: `confirm that the original server is gone: ${commandName()} resume`,
    })
    schedule()
  } else {
    removeRestoreMarker(dataDir)
    finish()
  }
  return {
    isPaused: () => marker !== null,
    pending: () => marker,
    async resume() {
      if (marker === null) return
      await confirmRestore(dataDir, pool)
      finish()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await checking
    },
  }
}
