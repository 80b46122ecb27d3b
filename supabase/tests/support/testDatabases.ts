import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { registerOneTimeFiles, runOneTimeFiles } from '../../../backend/postgres/schema/oneTimeFiles.ts'
import { defaultSeeds, listSeeds } from '../../../backend/postgres/schema/seedFiles.ts'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { compactTemplate } from '../../../backend/postgres/server/compactTemplate.ts'
import { copyTemplate } from '../../../backend/postgres/server/copyTemplate.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import { startPostgres } from '../../../backend/postgres/server/startPostgres.ts'
import { createVaultKey } from '../../../backend/postgres/server/vaultKey.ts'
import { createContent, type FixtureContent, type TestDatabase } from './fixture.ts'
import { installStandIns } from './installStandIns.ts'
import { fillLinnetData, loudLog, supabaseDir } from './linnetData.ts'

export type { TestDatabase } from './fixture.ts'

interface DatabaseKind {
  name: string
  /** Opens a new database with the people of the fixture, or with what seed.sql inserts. */
  open(seed?: boolean): Promise<TestDatabase>
}

const debian15 = '/usr/lib/postgresql/15/bin'

/** The servers on which the rules are tested: the embedded PostgreSQL, and Debian's 15 where it is installed. */
export const testDatabases: DatabaseKind[] = [
  { name: 'embedded', open: openEmbedded },
  ...(existsSync(join(debian15, 'postgres')) ? [{ name: 'PostgreSQL 15', open: openDebian }] : []),
]

async function openEmbedded(seed = false): Promise<TestDatabase> {
  if (seed) return withSeed(await temporaryPostgres(fillLinnetData))
  const postgres = await temporaryPostgres((dataDir) =>
    fillWithContent('linnet-content', dataDir, 'postgres', async (folder) => {
      await fillLinnetData(folder)
      const template = await startPostgres({ dataDir: folder })
      return { config: template.config, stop: () => template.stop() }
    }),
  )
  return { ...postgres, content: readContent(postgres.dataDir) }
}

/** Runs the seed files on a database of Linnet's migrations, which is stopped where they fail. */
async function withSeed(database: TestDatabase): Promise<TestDatabase> {
  const client = new Client(database.config('postgres'))
  try {
    await client.connect()
    const { files } = listSeeds(supabaseDir, defaultSeeds)
    await registerOneTimeFiles(client, files)
    await runOneTimeFiles(client, files, loudLog)
    await client.query('analyze')
    await client.end()
    return database
  } catch (error) {
    await client.end()
    await database.stop()
    throw error
  }
}

/** Fills a new folder with a copy of what `serve` has put there, with the people of the fixture, which are created once a run. */
async function fillWithContent(
  name: string,
  into: string,
  /** PostgreSQL's folder in it. */
  data: string,
  serve: (folder: string) => Promise<TestDatabase>,
): Promise<void> {
  const isFilled = await copyTemplate(name, into, async (folder) => {
    const database = await serve(folder)
    const unused: string[] = []
    try {
      writeFileSync(join(folder, contentFile), JSON.stringify(await createContent(database)))
      unused.push(...(await compactTemplate(database.config('supabase_admin'), join(folder, data))))
    } finally {
      await database.stop()
    }
    for (const file of unused) rmSync(file)
  })
  if (!isFilled) throw new Error('LINNET_TEMPLATE names no folder of templates.')
}

const contentFile = 'content.json'

const readContent = (folder: string): FixtureContent =>
  JSON.parse(readFileSync(join(folder, contentFile), 'utf8')) as FixtureContent

/** A new cluster of Debian's own server. Trust authentication is safe: only this user may enter the folder of its socket. */
async function openDebian(seed = false): Promise<TestDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-15-'))
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  try {
    if (seed) await fillDebian(dir)
    else {
      await fillWithContent('linnet-15-content', dir, 'data', async (folder) => {
        await fillDebian(folder)
        return serveDebian(folder)
      })
    }
    changeOwner(dir)
    const served = await serveDebian(dir, 'SIGQUIT')
    const database = await (seed ? withSeed(served) : served)
    return {
      ...database,
      ...(seed ? {} : { content: readContent(dir) }),
      async stop() {
        await database.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
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

/** Fills a new folder with a copy of the platform and Linnet's migrations, which are made once a run. */
async function fillDebian(into: string): Promise<void> {
  changeOwner(into)
  await copyTemplate('linnet-15', into, async (folder) => {
    changeOwner(folder)
    await initDebian(join(folder, 'data'))
    const database = await serveDebian(folder)
    try {
      await migrateDebian(database, join(folder, 'data'))
    } finally {
      await database.stop()
    }
  })
}

async function migrateDebian({ config }: TestDatabase, data: string): Promise<void> {
  const pool = createPool(config('supabase_admin'), { max: 1, name: 'platform' })
  await migratePlatform(pool)
  await grantLikeOlderProjects(pool)
  const { uid, gid } = nobody ?? { uid: 0, gid: 0 }
  createVaultKey(data, { isSwitched: nobody !== null, uid, gid })
  await installStandIns(pool).finally(() => pool.end())
  await migrate({ postgres: { config }, dir: supabaseDir, log: loudLog })
}

/** Runs the server of `dir`/data, listening in `dir` alone. Stopped by SIGQUIT it does not write all data. */
async function serveDebian(dir: string, stopSignal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<TestDatabase> {
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
  return {
    config: (role) => ({ host: dir, user: role, database: 'postgres' }),
    async stop() {
      server.kill(stopSignal)
      await closed
    },
  }
}
