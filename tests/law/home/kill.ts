import { PostgresUnavailable } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'

/** Kills the process behind a connection: PostgreSQL ends all others, recovers from its log and serves again. */
export async function killOneBackend(admin: Pool): Promise<void> {
  const { rows } = await admin.query('select pg_backend_pid() as pid')
  process.kill((rows[0] as { pid: number }).pid, 'SIGKILL')
  // Those that open meanwhile are refused; each refusal is an answer, so nothing is waited for in vain.
  for (let back = false; !back;) {
    try {
      await admin.query('select 1')
      back = true
    } catch (error) {
      if (!(error instanceof PostgresUnavailable)) throw error
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
  }
}
