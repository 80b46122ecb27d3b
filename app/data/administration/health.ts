import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { Outcome } from '../failures/failures.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** What works and what does not; for owners and admins. */
export function readHealth(): Promise<Outcome<WorkspaceHealth>> {
  return callForWorkspace('workspace_health', {})
}
