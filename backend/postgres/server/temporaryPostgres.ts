import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { createPool, type Pool } from '../connections/pool.ts'
import { fillData } from './fillData.ts'
import { startPostgres, type Postgres, type ServiceRole } from './startPostgres.ts'

export interface TemporaryPostgres extends Postgres {
  /** A pool that `stop` ends. */
  pool(role: ServiceRole, max?: number): Pool
  /** Ends pools and server, keeps the data. */
  leave(): Promise<void>
}

/**
 * For tests and comparisons: PostgreSQL with the platform in a fresh folder, which `stop` removes. `fill` puts something
 * there before the start.
 */
export async function temporaryPostgres(
  fill: (dataDir: string) => Promise<unknown> = fillData,
): Promise<TemporaryPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  await fill(dataDir)
  const postgres = await startPostgres({ dataDir })
  const pools: Pool[] = []
  const pool = (role: ServiceRole, max = 4): Pool => {
    const made = createPool(postgres.config(role), { max, name: 'test' })
    pools.push(made)
    return made
  }
  await migratePlatform(pool('supabase_admin', 1))
  const leave = async (): Promise<void> => {
    await Promise.all(pools.map((one) => one.end()))
    await postgres.stop()
  }
  return {
    ...postgres,
    pool,
    leave,
    async stop() {
      await leave()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
