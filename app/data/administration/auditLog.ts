import type { AuditEntry } from '../../../wire/audit.ts'
import type { Timestamp, Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

/** What of the audit log is listed; null: everything. */
export interface AuditFilter {
  actor: Uuid | null
  action: string | null
  from: Timestamp | null
  until: Timestamp | null
}

export interface AuditPage {
  entries: AuditEntry[]
  before: string | null
}

/** Entries of one request of an export, and of the whole of it. */
const EXPORT_PAGE = 500
const MAX_EXPORTED = 100_000

/** A page of the audit log, newest first. */
export async function listAuditLog(filter: AuditFilter, before: string | null): Promise<Outcome<AuditPage>> {
  const workspace = workspaceId()
  return workspace ? callCommand('list_audit_log', { workspace, ...filter, before }) : noWorkspace()
}

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
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const parts: string[] = [head]
  let before: string | null = null
  let count = 0
  do {
    // oxlint-disable-next-line no-await-in-loop -- the cursor of the next page is in this one
    const page: Outcome<AuditPage> = await callCommand('list_audit_log', {
      workspace,
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
