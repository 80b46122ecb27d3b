import type pg from 'pg'
import type { UserRow } from './rows/user.ts'

/** Actions by the names of the contract, with the kind of log that each belongs to. */
const logTypes = {
  login: 'account',
  logout: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
}
export type AuditAction = keyof typeof logTypes

/** Who acted; null stands for a service key. */
type Actor = Pick<UserRow, 'id' | 'email'> | null

/** Writes down what was done, in the transaction that does it. */
export async function writeAudit(
  client: pg.Client,
  actor: Actor,
  action: AuditAction,
  ip: string,
  traits?: Record<string, unknown>,
): Promise<void> {
  const payload = {
    actor_id: actor?.id ?? '00000000-0000-0000-0000-000000000000',
    actor_username: actor ? (actor.email ?? '') : 'service_role',
    actor_via_sso: false,
    action,
    log_type: logTypes[action],
    ...(traits ? { traits } : {}),
  }
  await client.query({
    name: 'auth_audit',
    text: `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
           values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), $1, now(), $2)`,
    values: [JSON.stringify(payload), ip.slice(0, 64)],
  })
}
