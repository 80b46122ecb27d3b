import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

/** Public channels of the workspace, joined or not. */
export const publicChannels = createQuery({
  isStored: true,
  fetch: async () => {
    const outcome = await callForWorkspace('browse_channels', {})
    return outcome.ok ? success(outcome.value.channels) : outcome
  },
})
