import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { createLog } from '../../../backend/log/log.ts'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import type { ServiceRole } from '../../../backend/postgres/server/startPostgres.ts'
import { makeVaultKey } from '../../../backend/postgres/server/vaultKey.ts'
import { installStandIns } from './installStandIns.ts'

/** A database with the platform and Linnet's migrations. */
export interface Home {
  config(role: ServiceRole): ClientConfig
  stop(): Promise<void>
}

interface KindOfHome {
  name: string
  /** @param seed runs seed.sql too */
  open(seed?: boolean): Promise<Home>
}

const supabaseDir = join(import.meta.dirname, '..', '..')
const debian15 = '/usr/lib/postgresql/15/bin'
const log = createLog({
  format: 'text',
  least: 'error',
  write: (line) => {
    throw new Error(line)
  },
})

/** Where the rules must hold alike: the embedded PostgreSQL, and Debian's 15 where it is installed. */
export const homes: KindOfHome[] = [
  { name: 'embedded', open: openEmbedded },
  ...(existsSync(join(debian15, 'postgres')) ? [{ name: 'PostgreSQL 15', open: openDebian }] : []),
]

async function openEmbedded(seed = false): Promise<Home> {
  const postgres = await temporaryPostgres()
  try {
    await migrate({ postgres, dir: supabaseDir, seed, log })
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return postgres
}

/** As a fresh cluster of Debian's own server: trust is safe, since only we enter the folder of its socket. */
async function openDebian(seed = false): Promise<Home> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-15-'))
  const data = join(dir, 'data')
  mkdirSync(data, { mode: 0o700 })
  const identity: { uid?: number; gid?: number } = {}
  if (process.getuid!() === 0) {
    // PostgreSQL refuses to run as root.
    identity.uid = Number(execFileSync('id', ['-u', 'nobody']))
    identity.gid = Number(execFileSync('id', ['-g', 'nobody']))
    for (const folder of [dir, data]) chownSync(folder, identity.uid, identity.gid)
  }
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }
  const initdb = spawn(
    join(debian15, 'initdb'),
    ['-D', data, '-U', 'supabase_admin', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...identity, env: environment, stdio: 'ignore' },
  )
  await new Promise((resolve) => {
    initdb.once('close', resolve)
  })
  const server = spawn(
    join(debian15, 'postgres'),
    ['-D', data, '-k', dir, '-h', '', '-F', '-c', 'wal_level=logical'],
    { ...identity, env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const closed = new Promise((resolve) => {
    server.once('close', resolve)
  })
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (said: Buffer) => {
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error('PostgreSQL 15 did not start')))
  })
  const config = (role: ServiceRole): ClientConfig => ({ host: dir, user: role, database: 'postgres' })
  const stop = async (): Promise<void> => {
    server.kill('SIGINT')
    await closed
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const pool = createPool(config('supabase_admin'), { max: 1, name: 'platform' })
    await migratePlatform(pool)
    const { uid = 0, gid = 0 } = identity
    makeVaultKey(data, { switched: identity.uid !== undefined, uid, gid })
    await installStandIns(pool).finally(() => pool.end())
    await migrate({ postgres: { config }, dir: supabaseDir, seed, log })
  } catch (error) {
    // Nobody else would end it.
    await stop()
    throw error
  }
  return { config, stop }
}
