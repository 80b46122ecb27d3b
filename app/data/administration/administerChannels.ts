import type { AdministeredChannel } from '../../../wire/administration.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import '../failures/channelFailures.ts'
import { publicChannels } from '../channels/publicChannels.ts'
import { success, withoutValue, type Outcome } from '../failures/failures.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace, type WorkspaceArgs } from '../workspaces/callForWorkspace.ts'

/** Channels of one `archive_channels`. */
const MAX_ARCHIVED = 100

/** The channels that match a filter. Owners and admins also see the channels that they have not joined. */
export const channelList = createPagedQuery({
  idOf: (channel: AdministeredChannel) => channel.id,
  fetch: async (after: string | null, filter: Omit<WorkspaceArgs<'list_channels'>, 'after'>) => {
    const outcome = await callForWorkspace('list_channels', { ...filter, after })
    if (!outcome.ok) return outcome
    const { channels, after: next, total } = outcome.value
    return success({ items: channels, next, summary: { total } })
  },
})

/** Makes channels read-only, or ends this; for owners and admins. More than 100 are changed in several steps. */
export async function archiveChannels(channels: readonly Uuid[], on: boolean): Promise<Outcome> {
  let outcome: Outcome = success(undefined)
  for (let start = 0; start < channels.length && outcome.ok; start += MAX_ARCHIVED) {
    const step = channels.slice(start, start + MAX_ARCHIVED)
    outcome = withoutValue(await callForWorkspace('archive_channels', { channels: step, on }))
  }
  // Some steps may have succeeded before one that failed.
  channelList.invalidate()
  publicChannels.invalidate()
  return outcome
}
