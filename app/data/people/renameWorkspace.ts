import type { Workspace } from '../../../wire/linnet.ts'
import '../entryFailures.ts'
import type { Outcome } from '../failures.ts'
import { running } from '../runtime.ts'
import { command } from '../session/commands.ts'
import { homeless, workspaceId } from './workspace.ts'

/** Renames the workspace, 1–80 characters; shown here with the response, elsewhere by the broadcast. */
export async function renameWorkspace(name: string): Promise<Outcome<Workspace>> {
  const workspace = workspaceId()
  if (!workspace) return homeless()
  const outcome = await command('rename_workspace', { workspace, name })
  if (outcome.ok) {
    const event = { event: 'workspace_changed' as const, payload: { workspace: outcome.value } }
    running()?.store.dispatch({ type: 'userTold', event })
  }
  return outcome
}
