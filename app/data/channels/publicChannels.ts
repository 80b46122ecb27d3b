import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

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
