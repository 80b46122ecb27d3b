import { PostgresUnavailable } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'

/**
 * Kills the process behind a connection: PostgreSQL ends all others, recovers and serves again. Resolves when all pools
 * have working connections.
 */
export async function killPostgres(admin: Pool, others: readonly Pool[]): Promise<void> {
  const { rows } = await admin.query('select pg_backend_pid() as pid')
  process.kill((rows[0] as { pid: number }).pid, 'SIGKILL')
  for (const pool of [admin, ...others]) {
    // New connections are refused meanwhile, and dead idle ones are found one by one.
    for (let working = 0; working < 3;) {
      try {
        await pool.query('select 1')
        working += 1
      } catch (error) {
        if (!(error instanceof PostgresUnavailable)) throw error
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
    }
  }
}
