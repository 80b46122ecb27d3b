import type { AuditEntry } from '../../../wire/audit.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import type { Commands } from '../../../wire/commands.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** What of the audit log is listed; null: everything. */
export interface AuditFilter {
  actor: Uuid | null
  action: string | null
  from: Timestamp | null
  until: Timestamp | null
}

/** Entries of one request of an export, and of the whole of it. */
const EXPORT_PAGE = 500
const MAX_EXPORTED = 100_000

/** The audit log, newest first. */
export const auditLog = createPagedQuery({
  idOf: (entry: AuditEntry) => entry.id,
  fetch: async (before: string | null, filter: AuditFilter) => {
    const outcome = await callForWorkspace('list_audit_log', { ...filter, before })
    return outcome.ok ? success({ items: outcome.value.entries, next: outcome.value.before }) : outcome
  },
})

/**
 * Reads the filtered log page by page, at most 100,000 entries, and returns a file. `toText` converts a page; only its
 * result is kept. `isComplete`: whether all entries are in it.
 */
export async function exportAuditLog(
  filter: AuditFilter,
  type: string,
  head: string,
  toText: (entries: readonly AuditEntry[]) => string,
): Promise<Outcome<{ file: Blob; isComplete: boolean }>> {
  const parts: string[] = [head]
  let before: string | null = null
  let count = 0
  do {
    // oxlint-disable-next-line no-await-in-loop -- the cursor of the next page is in this one
    const page: Outcome<Commands['list_audit_log']['response']> = await callForWorkspace('list_audit_log', {
      ...filter,
      before,
      limit: EXPORT_PAGE,
    })
    if (!page.ok) return page
    parts.push(toText(page.value.entries))
    count += page.value.entries.length
    before = page.value.before
  } while (before !== null && count < MAX_EXPORTED)
  return success({ file: new Blob(parts, { type }), isComplete: before === null })
}
