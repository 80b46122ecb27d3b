import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import type { Outcome } from '../failures/failures.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

type WorkspaceCommand = {
  [N in keyof Commands]: Commands[N]['args'] extends { workspace: Uuid } ? N : never
}[keyof Commands]

/** Arguments of a command besides the workspace. */
export type WorkspaceArgs<N extends WorkspaceCommand> = Omit<Commands[N]['args'], 'workspace'>

/** The command with the current workspace added to its arguments. */
export async function callForWorkspace<N extends WorkspaceCommand>(
  name: N,
  args: WorkspaceArgs<N>,
): Promise<Outcome<Commands[N]['response']>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return callCommand(name, { workspace, ...args } as Commands[N]['args'])
}
