import { callCommand } from '../client/callCommand.ts'
import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

/** What is unread in the user's workspaces. `watchUnreadWorkspaces` keeps it up to date. */
export const unreadWorkspaces = createQuery({
  freshMs: Infinity,
  fetch: async () => {
    const outcome = await callCommand('unread_workspaces', {})
    return outcome.ok ? success(outcome.value.workspaces) : outcome
  },
})
