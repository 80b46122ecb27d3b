import type { OwnSession } from '../../../wire/people.ts'
import { withoutValue, type Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { requestAuth } from '../client/requestAuth.ts'

export type { OwnSession }

/** The user's sessions: this one first, then by last use. */
export const ownSessions = createQuery({ fetch: () => callCommand('my_sessions', {}) })

/** Ends another session. */
export async function revokeSession(id: string): Promise<Outcome> {
  return withoutValue(refetchAfter(await callCommand('end_session', { id }), ownSessions))
}

/** Ends all other sessions. */
export async function revokeOtherSessions(): Promise<Outcome> {
  return withoutValue(refetchAfter(await requestAuth('logout?scope=others', { method: 'POST' }), ownSessions))
}
