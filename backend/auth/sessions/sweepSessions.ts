import type { Queryable } from '../rows/findUser.ts'
import type { SessionSettings } from '../settings/sessionSettings.ts'

/** Rows at once: a house that was off for long comes to its end in some hours, and nobody waits meanwhile. */
const most = 5_000

/**
 * Forgets spent refresh tokens after a day, and sessions a day after the last moment they could be renewed in, those
 * that were given an end of their own after three days, as hosted does. Rows in use are left for the next time.
 */
export async function sweepSessions(db: Queryable, settings: SessionSettings): Promise<void> {
  await db.query(
    `delete from auth.refresh_tokens where id in (
       select id from auth.refresh_tokens where revoked is true and updated_at < now() - interval '24 hours'
       limit $1 for update skip locked)`,
    [most],
  )
  await db.query(
    `delete from auth.sessions where id in (
       select s.id from auth.sessions s
       where s.not_after < now() - interval '72 hours'
         or ($2::float8 > 0 and s.created_at < now() - interval '24 hours' - make_interval(secs => $2 / 1000))
         or ($3::float8 > 0 and now() - interval '24 hours' - make_interval(secs => $3 / 1000)
           > coalesce(s.refreshed_at at time zone 'utc', greatest(s.created_at, (
               select max(t.updated_at) from auth.refresh_tokens t
               where t.session_id = s.id and t.revoked is false))))
       limit $1 for update of s skip locked)`,
    [most, settings.timebox, settings.inactivity],
  )
}
