import type { Pool } from '../../../../backend/postgres/connections/pool.ts'

/**
 * Waits until so many of the service's connections wait for a lock, and for longer than the 10 ms after which a transaction
 * on the main pool releases its own locks and runs again. The query runs outside the transaction that has the lock, which
 * would see an old state. The deletion of expired challenges, which may run at any time, doesn't count.
 */
export async function waitForLockWaiters(admin: Pick<Pool, 'query'>, count: number): Promise<void> {
  for (let waiting = 0; waiting < count;) {
    const { rows } = await admin.query<{ waiting: number }>(
      `select count(distinct a.pid)::int as waiting from pg_stat_activity a join pg_locks l on l.pid = a.pid
       where not l.granted and l.waitstart < clock_timestamp() - interval '20 ms' and a.usename = 'supabase_auth_admin'
         and a.query not like '%auth.mfa_challenges where created_at%'`,
    )
    waiting = rows[0]!.waiting
  }
}
