import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { createPool, type Pool } from '../connections/pool.ts'
import { createDataFromTemplate } from './createDataFromTemplate.ts'
import { isAlive } from './processIdentity.ts'
import { startPostgres, type Postgres, type ServiceRole } from './startPostgres.ts'

export interface TemporaryPostgres extends Postgres {
  /** A pool that `stop` ends. */
  pool(role: ServiceRole, max?: number): Pool
  /** Ends the pools and the server, and keeps the data. */
  stopKeepingData(): Promise<void>
}

/**
 * For tests and comparisons: PostgreSQL with the platform in a new folder, which `stop` removes. `fill` prepares the
 * folder before the start.
 */
export async function temporaryPostgres(
  fill: (dataDir: string) => Promise<unknown> = createDataFromTemplate,
): Promise<TemporaryPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  await fill(dataDir)
  const postgres = await startPostgres({ dataDir })
  const pools: Pool[] = []
  const pool = (role: ServiceRole, max = 4): Pool => {
    const created = createPool(postgres.config(role), { max, name: 'test' })
    pools.push(created)
    return created
  }
  // Ended at once: while somebody is connected to a database, PostgreSQL does not copy it.
  const platform = createPool(postgres.config('supabase_admin'), { max: 1, name: 'platform' })
  await migratePlatform(platform)
  await platform.end()
  const endPools = (): Promise<unknown> => Promise.all(pools.map((one) => one.end()))
  return {
    ...postgres,
    pool,
    async stopKeepingData() {
      await endPools()
      await postgres.stop()
    },
    async stop() {
      await endPools()
      // At once: what a clean shutdown writes is removed.
      if (isAlive(postgres.pid)) process.kill(postgres.pid, 'SIGQUIT')
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
