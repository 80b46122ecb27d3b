import type { ChannelEntry } from '../../../wire/channels.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { storeChannelEntry } from '../workspaces/workspace.ts'

/**
 * Public channels of the workspace, joined or not. No event announces channels that the reader has not joined. A list of
 * all channels passes `freshMs: 0`; the names in completions may be a minute old.
 */
export const publicChannels = createQuery({
  maxStored: 1,
  freshMs: 60_000,
  fetch: async () => {
    const outcome = await callForWorkspace('browse_channels', {})
    return outcome.ok ? success(outcome.value.channels) : outcome
  },
})

/** Stores the channel of a response, and fetches the public channels again. */
export function storeChangedChannel(outcome: Outcome<ChannelEntry>): Outcome<ChannelEntry> {
  return refetchAfter(storeChannelEntry(outcome), publicChannels)
}
