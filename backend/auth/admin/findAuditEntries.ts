import type { Queryable } from '../rows/findUser.ts'
import { invalid } from '../http/AuthError.ts'
import type { Page } from './paging.ts'

/** The fields of an entry that each scope of a query searches. */
const searchedFields: Record<string, string[]> = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
}

/** An entry of the audit log. */
interface AuditEntry {
  id: string
  payload: Record<string, unknown>
  /** ISO 8601. */
  created_at: string
  ip_address: string
}

/**
 * A page of audit log entries, newest first, and the total count.
 * @param query empty, or `author:`, `action:` or `type:` and a substring in any case, with the wildcards `%`
 *   and `_` of LIKE
 * @throws AuthError 400 validation_failed
 */
export async function findAuditEntries(
  db: Queryable,
  query: string,
  { page, perPage }: Page,
): Promise<{ entries: AuditEntry[]; total: number }> {
  const colon = query.indexOf(':')
  const scope = query.slice(0, Math.max(0, colon))
  const fields = Object.hasOwn(searchedFields, scope) ? searchedFields[scope]! : []
  if (query !== '' && fields.length === 0) {
    throw invalid(`Invalid query scope: ${query}`)
  }
  const pattern = query.slice(colon + 1)
  const where = `instance_id = '00000000-0000-0000-0000-000000000000' and ($1 = '' or exists (
    select 1 from unnest($2::text[]) as member where payload ->> member ilike '%' || $1 || '%'))`
  const { rows } = await db.query(
    `select to_jsonb(e) as entry from auth.audit_log_entries e where ${where}
     order by created_at desc, id limit $3 offset $4`,
    [pattern, fields, perPage, (page - 1) * perPage],
  )
  const counted = await db.query(`select count(*)::int as total from auth.audit_log_entries where ${where}`, [
    pattern,
    fields,
  ])
  return {
    entries: (rows as { entry: AuditEntry }[]).map(({ entry: { id, payload, created_at, ip_address } }) => ({
      id,
      payload,
      created_at: new Date(created_at).toISOString(),
      ip_address,
    })),
    total: counted.rows[0].total as number,
  }
}
