import type { Commands } from '../../../wire/commands.ts'
import type { Workspace } from '../../../wire/people.ts'
import '../failures/entryFailures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

/** Stores the workspace of a response in this tab; others receive an event. */
export function storeWorkspace(workspace: Workspace): void {
  const event = { event: 'workspace_changed' as const, payload: { workspace } }
  getClientSession()?.store.dispatch({ type: 'userEventReceived', event })
}

/** Renames the workspace, 1–80 characters. */
export async function renameWorkspace(name: string): Promise<Outcome<Workspace>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const outcome = await callCommand('rename_workspace', { workspace, name })
  if (outcome.ok) storeWorkspace(outcome.value)
  return outcome
}

/** Changes options of the workspace; those that are not given stay as they are. */
export async function setWorkspaceOptions(
  options: Omit<Commands['set_workspace_options']['args'], 'workspace'>,
): Promise<Outcome<Workspace>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const outcome = await callCommand('set_workspace_options', { workspace, ...options })
  if (outcome.ok) storeWorkspace(outcome.value)
  return outcome
}
