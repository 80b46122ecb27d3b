import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { createLibraryLinks } from '../../../backend/postgres/server/createLibraryLinks.ts'
import { makeBinariesReachable } from '../../../backend/postgres/server/makeBinariesReachable.ts'
import { postgresUser, type OsUser } from '../../../backend/postgres/server/osUser.ts'
import type { ServiceRole } from '../../../backend/postgres/server/passwords.ts'
import { createVaultKey } from '../../../backend/postgres/server/vaultKey.ts'
import { loudLog, supabaseDir } from './linnetData.ts'
import { preparePlatform } from './preparePlatform.ts'

/** A running PostgreSQL with Linnet's schema. */
export interface RunningCluster {
  config(role: ServiceRole): ClientConfig
  stop(): Promise<void>
}

/** Tests of all workers connect to it, some with fifty clients. */
const maxConnections = 300

/** Autovacuum would connect to the database that is copied, and change plans between two measurements of a test. */
export const testSettings = {
  max_connections: String(maxConnections),
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
}

/**
 * A new cluster of another PostgreSQL. Trust authentication is safe: only the user of the server may enter the folder of
 * its socket.
 */
export async function startOtherPostgres(folder: string): Promise<RunningCluster> {
  createLibraryLinks(folder)
  const dir = mkdtempSync(join(tmpdir(), 'linnet-pg-'))
  const data = join(dir, 'data')
  const user = postgresUser(data, dir)
  const initdb = join(folder, 'bin', 'initdb')
  const postgres = join(folder, 'bin', 'postgres')
  try {
    const binaries = makeBinariesReachable({ root: folder, initdb, postgres, major: 0 }, user)
    mkdirSync(data, { mode: 0o700 })
    if (user.isSwitched) for (const path of [dir, data]) chownSync(path, user.uid, user.gid)
    await initialise(binaries.initdb, data, user)
    const server = await serve(binaries.postgres, dir, user)
    await addSchema(server, data, user)
    return {
      config: server.config,
      async stop() {
        await server.stop()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(dir, { recursive: true, force: true })
    throw error
  }
}

/** PostgreSQL refuses to run as root. */
const processOptions = ({ isSwitched, uid, gid }: OsUser) => ({
  ...(isSwitched && { uid, gid }),
  env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
})

async function initialise(initdb: string, data: string, user: OsUser): Promise<void> {
  const child = spawn(
    initdb,
    ['-D', data, '-U', 'supabase_admin', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...processOptions(user), stdio: 'ignore' },
  )
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${initdb} ended with code ${code}`)
}

async function addSchema({ config }: RunningCluster, data: string, user: OsUser): Promise<void> {
  const pool = createPool(config('supabase_admin'), { max: 1, name: 'platform' })
  createVaultKey(data, user)
  await preparePlatform(pool).finally(() => pool.end())
  await migrate({ postgres: { config }, dir: supabaseDir, log: loudLog })
}

/** Runs the server of `dir`/data, listening in `dir` alone. Stopped by SIGQUIT it does not write what is deleted then. */
async function serve(postgres: string, dir: string, user: OsUser): Promise<RunningCluster> {
  const options = Object.entries({ ...testSettings, wal_level: 'logical' }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = spawn(postgres, ['-D', join(dir, 'data'), '-k', dir, '-h', '', ...options], {
    ...processOptions(user),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = new Promise((resolve) => {
    server.once('close', resolve)
  })
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error(`${postgres} did not start`)))
  })
  return {
    config: (role) => ({ host: dir, user: role, database: 'postgres' }),
    async stop() {
      server.kill('SIGQUIT')
      await closed
    },
  }
}
