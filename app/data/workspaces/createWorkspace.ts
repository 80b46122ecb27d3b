import { pathTo } from '../../paths.ts'
import type { Commands } from '../../../wire/commands.ts'
import { callCommand } from '../client/callCommand.ts'
import '../failures/joiningFailures.ts'
import type { Outcome } from '../failures/failures.ts'
import { openWorkspace } from '../session/startClientSession.ts'

/** Creates a further workspace, of which the user becomes the owner, and shows its first channel. */
export async function createWorkspace(
  args: Commands['create_workspace']['args'],
): Promise<Outcome<Commands['create_workspace']['response']>> {
  const outcome = await callCommand('create_workspace', args)
  if (outcome.ok) await openWorkspace(args.id, pathTo('channel', { channelId: outcome.value.channel_id }))
  return outcome
}
