import { chownSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { findInstalledExtensions } from '../extensions/installedExtensions.ts'
import { writeExtensions } from '../extensions/extensionFiles.ts'
import { findBinaries } from './binaries.ts'
import { backUpData } from './backUpData.ts'
import { allowPassage, asStartError, createDataFolder, requireCompleteRestore } from './dataFolder.ts'
import { databaseBytes } from './databaseBytes.ts'
import { lockData, type DataLock } from './dataLock.ts'
import { endOrphanedPostgres } from './endOrphanedPostgres.ts'
import { initialiseData } from './initialiseData.ts'
import { postgresUser, requireReachable, type OsUser } from './osUser.ts'
import { loadPasswords, serviceRoles, type Passwords, type ServiceRole } from './passwords.ts'
import { makeBinariesReachable } from './makeBinariesReachable.ts'
import { availableMemory, chooseMemorySettings, type MemorySettings } from './memorySettings.ts'
import { runPostmaster } from './runPostmaster.ts'
import { beginSchemaChange, willChangeSchema } from '../schema/schemaDigest.ts'
import { renderServerSettings } from './renderServerSettings.ts'
import { createSocketFolder } from './socketFolder.ts'
import { StartError } from './StartError.ts'
import { createVaultKey } from './vaultKey.ts'

export type { ServiceRole } from './passwords.ts'

export interface Postgres {
  /** The absolute path of the data. */
  dataDir: string
  /** Process id of the postmaster. */
  pid: number
  /** Folder of the unix socket. */
  socketDir: string
  /** A part of the socket's name, and the TCP port if one was requested. */
  port: number
  /** Major version, such as 18. */
  version: number
  /** Records the URL of the server, for the error message of a second start on the same data. */
  recordUrl(url: string): void
  /** Returns the connection options of a role, by the socket. */
  config(role: ServiceRole): ClientConfig
  /** Shuts PostgreSQL down fast. Resolves when the process has exited. */
  stop(): Promise<void>
  /** Resolves with the postmaster's exit code, whatever ended it; null after a signal. */
  exited: Promise<number | null>
}

export interface StartOptions {
  /** PostgreSQL's files go to `<dataDir>/postgres`. */
  dataDir: string
  /** A TCP port on which PostgreSQL also listens, on the loopback interface. */
  port?: number
  /** The memory settings. By default they depend on the memory of the machine and the size of the database. */
  memory?: MemorySettings
  /**
   * The supabase folder whose migrations run next. If these or the platform would change the schema of existing data,
   * the data are backed up first. Ignored on a restart.
   */
  backUpBeforeMigrationsOf?: string
  /** Called with the folder of the backup. */
  onBackup?: (folder: string) => void
  /** Called when another server has taken over the data, after this process was suspended. */
  onLockLost?: () => void
  /** Settings of PostgreSQL that override all others until it stops. */
  settings?: Readonly<Record<string, string>>
  /** Called with each line that PostgreSQL logs. */
  log?: (line: string) => void
}

/** The data folders on which this process runs a PostgreSQL. */
const running = new Set<string>()
/**
 * The locks of the data folders. A lock is held from the first start until `stop`, so that no other server uses the
 * data. It stays locked even while a PostgreSQL that exited unexpectedly can't be restarted.
 */
const locks = new Map<string, DataLock>()

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, which it creates if it is missing. It locks the folder, ends an orphaned
 * PostgreSQL on it, and recovers after any kill. If a restart fails, the folder stays locked until `stop` of the
 * previous PostgreSQL. Throws StartError with a sentence for the terminal.
 */
export async function startPostgres(o: StartOptions): Promise<Postgres> {
  const requestedDir = resolve(o.dataDir)
  let dataDir = requestedDir
  let isRestart = false
  try {
    createDataFolder(requestedDir)
    // One folder has one lock and one socket, whatever path leads to it.
    dataDir = realpathSync(requestedDir)
    if (running.has(dataDir))
      throw new StartError(`PostgreSQL runs on ${requestedDir} already, in this process.`)
    isRestart = locks.has(dataDir)
    if (!isRestart) locks.set(dataDir, await lockData(dataDir, o.onLockLost))
  } catch (error) {
    throw asStartError(error, requestedDir)
  }
  const release = (): void => {
    locks.get(dataDir)?.release()
    locks.delete(dataDir)
  }
  running.add(dataDir)
  try {
    requireCompleteRestore(dataDir)
    const postgres = await startLocked({ ...o, dataDir }, isRestart)
    void postgres.exited.then(() => running.delete(dataDir))
    return {
      ...postgres,
      recordUrl: (url) => locks.get(dataDir)?.recordUrl(url),
      async stop() {
        await postgres.stop()
        // Unless another one has been started meanwhile.
        if (!running.has(dataDir)) release()
      },
    }
  } catch (error) {
    running.delete(dataDir)
    // After a failed restart this server still owns the data and tries again.
    if (!isRestart) release()
    throw asStartError(error, requestedDir)
  }
}

async function startLocked(o: StartOptions, isRestart: boolean): Promise<Omit<Postgres, 'recordUrl'>> {
  const { dataDir, port: tcpPort, log } = o
  const data = join(dataDir, 'postgres')
  const user = postgresUser(data, dataDir)
  const binaries = makeBinariesReachable(findBinaries(), user)
  if (user.isSwitched) allowPassage(dataDir)
  requireReachable(data, user)

  const isNew = !existsSync(data)
  const passwords = loadPasswords(dataDir, isNew)
  if (isNew) await initialiseData({ binaries, data, user, password: passwords.supabase_admin })
  requireVersion(data, binaries.major)
  await endOrphanedPostgres(data)
  // No schema change follows a restart: a backup taken now would be taken for the one before the next change, and be old.
  if (
    !isRestart &&
    o.backUpBeforeMigrationsOf !== undefined &&
    (isNew || willChangeSchema(dataDir, o.backUpBeforeMigrationsOf))
  ) {
    if (!isNew) o.onBackup?.(await backUpData(dataDir))
    beginSchemaChange(dataDir)
  }

  const port = tcpPort ?? 5432
  const socketDir = createSocketFolder(data, port, user)
  createVaultKey(data, user)
  // A colon separates paths.
  const extensions = writeExtensions(dataDir.includes(':') ? socketDir : dataDir)
  writeAs(
    user,
    join(data, 'linnet.conf'),
    renderServerSettings({
      extensions,
      installed: findInstalledExtensions(binaries.major),
      preloaded: preloadedLibraries(binaries.root),
      memory: o.memory ?? chooseMemorySettings(availableMemory(), databaseBytes(dataDir)),
    }),
  )
  const { pid, exited, stop } = await runPostmaster({
    binaries,
    data,
    user,
    socketDir,
    port,
    listen: tcpPort !== undefined,
    settings: o.settings,
    log,
  })
  const config = (role: ServiceRole): ClientConfig => ({
    host: socketDir,
    port,
    user: role,
    password: passwords[role],
    database: 'postgres',
    // An event trigger of a project's migration must not run with a superuser's rights.
    ...(role === 'supabase_admin' ? { options: '-c event_triggers=off' } : {}),
  })
  try {
    await createLogins(config('supabase_admin'), passwords)
  } catch (error) {
    await stop()
    throw error
  }
  return { dataDir, pid, socketDir, port, version: binaries.major, config, stop, exited }
}

function writeAs(user: OsUser, file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  if (user.isSwitched) chownSync(file, user.uid, user.gid)
}

/** As on hosted: `create extension pg_stat_statements` then counts at once. PostgreSQL does not start without the file. */
function preloadedLibraries(root: string): string[] {
  const name = 'pg_stat_statements'
  const exists = ['so', 'dylib'].some((suffix) =>
    existsSync(join(root, 'lib/postgresql', `${name}.${suffix}`)),
  )
  return exists ? [name] : []
}

function requireVersion(data: string, major: number): void {
  const file = join(data, 'PG_VERSION')
  if (!existsSync(file)) {
    throw new StartError(
      `${data} is not a data folder of PostgreSQL. Move it away, or choose another with --data.`,
    )
  }
  const found = readFileSync(file, 'utf8').trim()
  if (found === String(major)) return
  throw new StartError(
    `${data} was created by PostgreSQL ${found}; this Linnet includes ${major}, which can't read it. ` +
      `Use the Linnet version that created it, or choose another folder with --data.`,
  )
}

/**
 * The roles whose password a project's SQL can change. The server resets it, because otherwise it could never log in
 * again.
 */
const resettableRoles: ReadonlySet<string> = new Set<ServiceRole>(['postgres', 'authenticator'])

/** Creates the login roles at the first start, so that each has its password before it is used. */
async function createLogins(config: ClientConfig, passwords: Passwords): Promise<void> {
  const client = new Client(config)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles')
    const existing = new Set(rows.map((row) => row.rolname))
    await client.query(
      serviceRoles
        .filter((role) => !existing.has(role) || resettableRoles.has(role))
        .map((role) => {
          const verb = existing.has(role) ? 'alter' : 'create'
          const password = client.escapeLiteral(passwords[role])
          return `${verb} role ${role} login connection limit -1 password ${password} valid until 'infinity';`
        })
        .join('\n'),
    )
  } finally {
    await client.end()
  }
}
