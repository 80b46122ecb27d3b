import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { createLibraryLinks } from '../../../backend/postgres/server/createLibraryLinks.ts'
import { makeBinariesReachable } from '../../../backend/postgres/server/makeBinariesReachable.ts'
import { postgresUser, type OsUser } from '../../../backend/postgres/server/osUser.ts'
import { serviceRoles, type ServiceRole } from '../../../backend/postgres/server/passwords.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import { createVaultKey } from '../../../backend/postgres/server/vaultKey.ts'
import { createContent, type FixtureContent } from './fixture.ts'
import { fillLinnetData, loudLog, supabaseDir } from './linnetData.ts'
import { preparePlatform } from './preparePlatform.ts'

/** A running PostgreSQL, whose database `postgres` has Linnet's schema and the people of the fixture, and is only copied. */
export interface Cluster {
  /** Such as "PostgreSQL 18". */
  name: string
  isEmbedded: boolean
  configs: Record<ServiceRole, ClientConfig>
  content: FixtureContent
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: Cluster
  }
}

interface RunningCluster {
  config(role: ServiceRole): ClientConfig
  stop(): Promise<void>
}

/** Tests of all workers connect to it, some with fifty clients. */
const maxConnections = 300

/**
 * Starts the PostgreSQL of a project's rules before its first file: the embedded one, or the one in the folder that the
 * project's LINNET_POSTGRES names (with `bin` below it). Each file has a database of its own in it: `testDatabases`.
 */
export default async function startCluster(project: TestProject): Promise<() => Promise<void>> {
  const folder = project.config.env?.['LINNET_POSTGRES']
  const cluster = await (folder === undefined ? startEmbedded() : startFrom(folder))
  try {
    const content = await createContent(cluster)
    const client = new Client(cluster.config('supabase_admin'))
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    await client.query('analyze')
    await client.end()
    project.provide('cluster', {
      name: `PostgreSQL ${Number.parseInt(rows[0]!.server_version, 10)}`,
      isEmbedded: folder === undefined,
      configs: Object.fromEntries(
        serviceRoles.map((role) => [role, cluster.config(role)]),
      ) as Cluster['configs'],
      content,
    })
    return () => cluster.stop()
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Autovacuum would connect to the database that is copied, and change plans between two measurements of a test. */
const settings = {
  max_connections: String(maxConnections),
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
}

async function startEmbedded(): Promise<RunningCluster> {
  return temporaryPostgres(async (dataDir) => {
    await fillLinnetData(dataDir)
    // As `alter system` writes it: it overrides the settings that Linnet renders at each start.
    const file = join(dataDir, 'postgres', 'postgresql.auto.conf')
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    writeFileSync(file, lines.join(''), { flag: 'a' })
  })
}

/**
 * A new cluster of another PostgreSQL. Trust authentication is safe: only the user of the server may enter the folder of
 * its socket.
 */
async function startFrom(folder: string): Promise<RunningCluster> {
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
  const options = Object.entries({ ...settings, wal_level: 'logical' }).flatMap(([name, value]) => [
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
