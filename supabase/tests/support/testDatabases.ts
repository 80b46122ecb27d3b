import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { copyTemplate } from '../../../backend/postgres/server/copyTemplate.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import type { ServiceRole } from '../../../backend/postgres/server/startPostgres.ts'
import { createVaultKey } from '../../../backend/postgres/server/vaultKey.ts'
import { installStandIns } from './installStandIns.ts'
import { fillLinnetData, loudLog, supabaseDir } from './linnetData.ts'

/** A database with the platform and Linnet's migrations. */
export interface TestDatabase {
  config(role: ServiceRole): ClientConfig
  stop(): Promise<void>
}

interface DatabaseKind {
  name: string
  /** @param seed runs seed.sql too */
  open(seed?: boolean): Promise<TestDatabase>
}

const debian15 = '/usr/lib/postgresql/15/bin'

/** The servers on which the rules are tested: the embedded PostgreSQL, and Debian's 15 where it is installed. */
export const testDatabases: DatabaseKind[] = [
  { name: 'embedded', open: openEmbedded },
  ...(existsSync(join(debian15, 'postgres')) ? [{ name: 'PostgreSQL 15', open: openDebian }] : []),
]

async function openEmbedded(seed = false): Promise<TestDatabase> {
  const postgres = await temporaryPostgres(seed ? createDataFromTemplate : fillLinnetData)
  try {
    await migrate({ postgres, dir: supabaseDir, seed, log: loudLog })
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return postgres
}

/** A new cluster of Debian's own server. Trust authentication is safe: only this user may enter the folder of its socket. */
async function openDebian(seed = false): Promise<TestDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-15-'))
  changeOwner(dir)
  const data = join(dir, 'data')
  try {
    if (!seed && (await copyTemplate('linnet-15', dir, makeDebian))) return await serveDebian(dir)
    await initDebian(data)
    const database = await serveDebian(dir)
    await migrateDebian(database, data, seed).catch(async (error: unknown) => {
      // Nobody else would end it.
      await database.stop()
      throw error
    })
    return database
  } catch (error) {
    rmSync(dir, { recursive: true, force: true })
    throw error
  }
}

/** PostgreSQL refuses to run as root: it runs as nobody then, who owns its folders. */
const nobody =
  process.getuid!() === 0
    ? {
        uid: Number(execFileSync('id', ['-u', 'nobody'])),
        gid: Number(execFileSync('id', ['-g', 'nobody'])),
      }
    : null

function changeOwner(folder: string): void {
  if (nobody) chownSync(folder, nobody.uid, nobody.gid)
}

const running = { ...nobody, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } }

/** Creates the template of databases on Debian's server: `folder`/data with the platform and Linnet's migrations. */
async function makeDebian(folder: string): Promise<void> {
  changeOwner(folder)
  await initDebian(join(folder, 'data'))
  const database = await serveDebian(folder)
  await migrateDebian(database, join(folder, 'data'), false)
  await database.leave()
}

async function initDebian(data: string): Promise<void> {
  mkdirSync(data, { mode: 0o700 })
  changeOwner(data)
  const initdb = spawn(
    join(debian15, 'initdb'),
    ['-D', data, '-U', 'supabase_admin', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...running, stdio: 'ignore' },
  )
  await new Promise((resolve) => {
    initdb.once('close', resolve)
  })
}

/**
 * Default privileges of hosted projects before October 2026, which many still have: whatever a migration creates in
 * `public` is open to the API roles until the migration revokes it.
 */
async function grantLikeOlderProjects(pool: Pool): Promise<void> {
  for (const kind of ['tables', 'sequences', 'functions']) {
    await pool.query(
      `alter default privileges for role postgres in schema public
       grant all on ${kind} to anon, authenticated, service_role`,
    )
  }
}

async function migrateDebian({ config }: TestDatabase, data: string, seed: boolean): Promise<void> {
  const pool = createPool(config('supabase_admin'), { max: 1, name: 'platform' })
  await migratePlatform(pool)
  await grantLikeOlderProjects(pool)
  const { uid, gid } = nobody ?? { uid: 0, gid: 0 }
  createVaultKey(data, { isSwitched: nobody !== null, uid, gid })
  await installStandIns(pool).finally(() => pool.end())
  await migrate({ postgres: { config }, dir: supabaseDir, seed, log: loudLog })
}

/** Runs the server of `dir`/data, listening in `dir` alone. `leave` ends it and keeps the data. */
async function serveDebian(dir: string): Promise<TestDatabase & { leave(): Promise<void> }> {
  const server = spawn(
    join(debian15, 'postgres'),
    ['-D', join(dir, 'data'), '-k', dir, '-h', '', '-F', '-c', 'wal_level=logical'],
    { ...running, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const closed = new Promise((resolve) => {
    server.once('close', resolve)
  })
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error('PostgreSQL 15 did not start')))
  })
  const leave = async (): Promise<void> => {
    server.kill('SIGINT')
    await closed
  }
  return {
    config: (role) => ({ host: dir, user: role, database: 'postgres' }),
    leave,
    async stop() {
      await leave()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
