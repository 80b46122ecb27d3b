import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import '../failures/channelFailures.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { callForWorkspace, type WorkspaceArgs } from '../workspaces/callForWorkspace.ts'

/** Channels of one `archive_channels`. */
const MAX_ARCHIVED = 100

export type ChannelFilters = WorkspaceArgs<'list_channels'>

/** A page of channels, also those that the user has not joined; for owners and admins. */
export function listChannels(
  filters: ChannelFilters,
): Promise<Outcome<Commands['list_channels']['response']>> {
  return callForWorkspace('list_channels', filters)
}

/** Makes channels read-only, or ends this; for owners and admins. More than 100 are changed in several steps. */
export async function archiveChannels(channels: readonly Uuid[], on: boolean): Promise<Outcome> {
  for (let start = 0; start < channels.length; start += MAX_ARCHIVED) {
    const step = channels.slice(start, start + MAX_ARCHIVED)
    const outcome = await callForWorkspace('archive_channels', { channels: step, on })
    if (!outcome.ok) return outcome
  }
  return success(undefined)
}
