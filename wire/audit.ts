import type { Timestamp, Uuid } from './scalars.ts'

/** An entry of the audit log of a workspace. */
export interface AuditEntry {
  id: Uuid
  recorded_at: Timestamp
  /** Null: the server itself, such as when an access expires. */
  actor_id: Uuid | null
  /** "subject.verb" in past tense, such as `member.role_changed`. */
  action: string
  reason: string | null
  /**
   * Ids, and values as `from` and `to`; of changed options and quotas, an object with these for each. `{hidden: true}` in
   * place of what concerns a private channel that the reader may not read.
   */
  target: Record<string, unknown>
}
