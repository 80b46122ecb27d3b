import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { Outcome } from '../failures/failures.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** What works and what does not; for owners and admins. */
export function readHealth(): Promise<Outcome<WorkspaceHealth>> {
  return callForWorkspace('workspace_health', {})
}

/** Confirms that the original of this restored server is gone, so that it sends notifications and mails again. For owners. */
export function confirmRestore(): Promise<Outcome<{ paused: boolean }>> {
  return callForWorkspace('confirm_restore', {})
}
