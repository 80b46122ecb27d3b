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

/**
 * Ends all other sessions. The command ends the listed ones, because it records that another device has ended them, which their
 * pages then show. The auth service, which records no reason, ends all that the list does not contain.
 */
export async function revokeOtherSessions(): Promise<Outcome> {
  const others = ownSessions.get()?.filter(({ current }) => !current) ?? []
  // A session that has ended meanwhile fails. The request below reports that sessions remain.
  await Promise.all(others.map(({ id }) => callCommand('end_session', { id })))
  return withoutValue(refetchAfter(await requestAuth('logout?scope=others', { method: 'POST' }), ownSessions))
}
