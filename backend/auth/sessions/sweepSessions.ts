import type { Queryable } from '../rows/findUser.ts'
import type { SessionSettings } from '../settings/sessionSettings.ts'

/** Rows per run: after a long time offline the deletion takes several runs, so that no request waits for it. */
const batchSize = 5_000

/**
 * Deletes used refresh tokens after a day, expired sessions a day after their last possible refresh, and
 * sessions with their own expiry after three days, as hosted Supabase does. Locked rows are skipped until the
 * next run.
 */
export async function sweepSessions(db: Queryable, settings: SessionSettings): Promise<void> {
  await db.query(
    `delete from auth.refresh_tokens where id in (
       select id from auth.refresh_tokens where revoked is true and updated_at < now() - interval '24 hours'
       limit $1 for update skip locked)`,
    [batchSize],
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
    [batchSize, settings.timebox, settings.inactivity],
  )
}
