import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import type { Config } from '../../config/loadConfig.ts'
import { noLogger } from '../../logging/logger.ts'
import { readCatalogue, type Catalogue } from '../catalogue/readCatalogue.ts'
import { createPool } from '../connections/pool.ts'
import { migrate } from '../schema/migrate.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import type { Binaries } from '../server/binaries.ts'
import { postgresEnvironment } from '../server/childProcess.ts'
import { allowPassage } from '../server/dataFolder.ts'
import { endOrphanedPostgres } from '../server/endOrphanedPostgres.ts'
import { initialiseData } from '../server/initialiseData.ts'
import type { MemorySettings } from '../server/memorySettings.ts'
import type { OsUser } from '../server/osUser.ts'
import { loadPasswords } from '../server/passwords.ts'
import { runPostmaster } from '../server/runPostmaster.ts'
import { createSocketFolder } from '../server/socketFolder.ts'
import { startPostgres, type Postgres } from '../server/startPostgres.ts'
import { StartError } from '../server/StartError.ts'
import { openSession } from './openSession.ts'

/** A server from or to which rows are copied. */
export interface RunningServer {
  /** Connects as the superuser. */
  config: ClientConfig
  stop(): Promise<void>
}

/** The number in the socket's name. No server listens on TCP during a move. */
const port = 5432

/**
 * Starts the earlier version on its data. Transactions are read-only, and nothing but this process can connect. The settings
 * are the ones that the earlier version of Linnet has written.
 */
export async function startSource(dataDir: string, binaries: Binaries, user: OsUser): Promise<RunningServer> {
  const data = join(dataDir, 'postgres')
  await endOrphanedPostgres(data)
  const socketDir = createSocketFolder(data, port, user)
  const { stop } = await runPostmaster({
    binaries,
    data,
    user,
    socketDir,
    port,
    listen: false,
    settings: {
      default_transaction_read_only: 'on',
      autovacuum: 'off',
      // Without it, a server with a logical replication slot does not start.
      wal_level: 'logical',
    },
  })
  const password = loadPasswords(dataDir, false).supabase_admin
  return { config: superuser(socketDir, password), stop }
}

function superuser(socketDir: string, password: string): ClientConfig {
  return {
    host: socketDir,
    port,
    user: 'supabase_admin',
    password,
    database: 'postgres',
    // An event trigger of a project must not run with a superuser's rights.
    options: '-c event_triggers=off',
  }
}

/**
 * While rows are copied, a crash loses nothing: the earlier data exist until the new ones are synchronised. WAL is not
 * needed for tables that are filled in the transaction that has emptied them.
 */
const loadSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

export interface Target {
  /** Starts PostgreSQL: to load rows quickly, or as usual. */
  start(mode: 'load' | 'usual'): Promise<Postgres>
  /** Copies the settings of `alter system`. PostgreSQL must not run. */
  copySystemSettings(): void
  /** Writes everything to the disk. PostgreSQL must not run. */
  synchronise(): void
}

/** Creates an empty data folder of the new version with the passwords and the vault's key of the earlier data. */
export async function createTarget(o: {
  dataDir: string
  folder: string
  binaries: Binaries
  user: OsUser
  memory: MemorySettings
}): Promise<Target> {
  const { dataDir, folder, binaries, user } = o
  const data = join(folder, 'postgres')
  mkdirSync(folder, { mode: 0o711 })
  if (user.isSwitched) {
    // PostgreSQL's user must be able to enter it, and is chosen by its owner.
    allowPassage(dataDir)
    chownSync(folder, user.uid, user.gid)
  }
  copyFileSync(join(dataDir, 'postgres-passwords.json'), join(folder, 'postgres-passwords.json'))
  const { supabase_admin: password } = loadPasswords(dataDir, false)
  await initialiseData({ binaries, data, user, password })
  const copy = (name: string): void => {
    copyFileSync(join(dataDir, 'postgres', name), join(data, name))
    chmodSync(join(data, name), 0o600)
    if (user.isSwitched) chownSync(join(data, name), user.uid, user.gid)
  }
  copy('linnet-vault.key')
  return {
    copySystemSettings: () => copy('postgresql.auto.conf'),
    start: (mode) =>
      startPostgres({
        dataDir: folder,
        memory: o.memory,
        ...(mode === 'load' ? { settings: loadSettings } : {}),
      }),
    synchronise() {
      const { status, stderr } = spawnSync(
        binaries.initdb,
        [
          '--sync-only',
          `--pgdata=${data}`,
          ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
        ],
        {
          cwd: folder,
          encoding: 'utf8',
          env: postgresEnvironment(),
          ...(user.isSwitched ? { uid: user.uid, gid: user.gid } : {}),
        },
      )
      if (status !== 0) throw new StartError(`${data} can't be written to the disk: ${stderr.trim()}`)
    },
  }
}

/**
 * Creates the schema of the migrations that the earlier data have. Returns the catalogues of the platform alone and with the
 * migrations.
 * @param o.versions of the migrations
 */
export async function createSchema(o: {
  postgres: Postgres
  supabaseDir: string
  config: Config
  versions: readonly string[]
}): Promise<{ platform: Catalogue; created: Catalogue }> {
  const admin = o.postgres.config('supabase_admin')
  const pool = createPool(admin, { max: 1, name: 'major version' })
  await migratePlatform(pool).finally(() => pool.end())
  const client = await openSession(admin)
  try {
    const platform = await readCatalogue(client)
    await migrate({
      postgres: { config: o.postgres.config },
      dir: o.supabaseDir,
      config: o.config,
      seed: false,
      versions: o.versions,
      log: noLogger,
    })
    return { platform, created: await readCatalogue(client) }
  } finally {
    await client.end()
  }
}
