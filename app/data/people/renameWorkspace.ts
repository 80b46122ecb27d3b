import type { Workspace } from '../../../wire/people.ts'
import '../failures/entryFailures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

/** Renames the workspace, 1–80 characters. The response updates this tab; others receive an event. */
export async function renameWorkspace(name: string): Promise<Outcome<Workspace>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const outcome = await callCommand('rename_workspace', { workspace, name })
  if (outcome.ok) {
    const event = { event: 'workspace_changed' as const, payload: { workspace: outcome.value } }
    getClientSession()?.store.dispatch({ type: 'userEventReceived', event })
  }
  return outcome
}
