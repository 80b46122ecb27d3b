import { callCommand } from '../client/callCommand.ts'
import { createQuery } from '../queries/createQuery.ts'

/** Why a session ended, for the page that had it. */
export const endedSession = createQuery({
  fetch: (session: string) => callCommand('ended_session', { session }),
  isPublic: true,
})

/** The workspaces that the user was in, the latest end first. */
export const endedMemberships = createQuery({ fetch: () => callCommand('my_ended_memberships', {}) })
