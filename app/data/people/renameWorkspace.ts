import type { Workspace } from '../../../wire/linnet.ts'
import '../failures/entryFailures.ts'
import type { Outcome } from '../failures/failures.ts'
import { running } from '../session/clientSession.ts'
import { command } from '../client/callCommand.ts'
import { homeless, workspaceId } from './workspace.ts'

/** Renames the workspace, 1–80 characters; shown here with the response, elsewhere by the broadcast. */
export async function renameWorkspace(name: string): Promise<Outcome<Workspace>> {
  const workspace = workspaceId()
  if (!workspace) return homeless()
  const outcome = await command('rename_workspace', { workspace, name })
  if (outcome.ok) {
    const event = { event: 'workspace_changed' as const, payload: { workspace: outcome.value } }
    running()?.store.dispatch({ type: 'userEventReceived', event })
  }
  return outcome
}
