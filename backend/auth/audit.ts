import type { Transaction } from './Transaction.ts'
import type pg from 'pg'
import type { UserRow } from './rows/user.ts'

/** Actions as GoTrue names them, with the log type of each. */
const logTypes = {
  login: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  identity_linked: 'user',
  identity_unlinked: 'user',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  token_revoked: 'token',
  token_refreshed: 'token',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
} as const
export type AuditAction = keyof typeof logTypes

/** The acting user; null for a service key. */
type Actor = Pick<UserRow, 'id' | 'email' | 'phone' | 'is_sso_user' | 'raw_user_meta_data'> | null

/** The actor's fields in a log entry: the phone number as user name if there is one, as on hosted Supabase. */
function describe(actor: Actor): Record<string, unknown> {
  if (!actor) {
    return {
      actor_id: '00000000-0000-0000-0000-000000000000',
      actor_username: 'service_role',
      actor_via_sso: false,
    }
  }
  const name = actor.raw_user_meta_data?.['full_name']
  return {
    actor_id: actor.id,
    actor_username: actor.phone || actor.email || '',
    actor_via_sso: actor.is_sso_user,
    ...(name === undefined ? {} : { actor_name: name }),
  }
}

/**
 * The statement that writes a log entry, to be sent in one pipeline with the action. Hosted Supabase leaves the
 * IP address of most actions empty; here it is stored, since it is needed after an incident.
 */
export function auditStatement(
  actor: Actor,
  action: AuditAction,
  ip: string,
  traits?: Record<string, unknown>,
): pg.QueryConfig {
  const payload = {
    ...describe(actor),
    action,
    log_type: logTypes[action],
    ...(traits ? { traits } : {}),
  }
  return {
    name: 'auth_audit',
    text: `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
           values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), $1, clock_timestamp(), $2)`,
    values: [JSON.stringify(payload), ip.slice(0, 64)],
  }
}

/** Writes a log entry in the transaction of the action. */
export async function writeAudit(
  tx: Transaction,
  actor: Actor,
  action: AuditAction,
  ip: string,
  traits?: Record<string, unknown>,
): Promise<void> {
  await tx.query(auditStatement(actor, action, ip, traits))
}
