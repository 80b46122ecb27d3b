import type { OwnSession } from '../../../wire/people.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { requestAuth } from '../client/requestAuth.ts'

export type { OwnSession }

/** The user's sessions: this one first, then by last use. */
export function listSessions(): Promise<Outcome<OwnSession[]>> {
  return callCommand('my_sessions', {})
}

/** Ends another session. */
export async function revokeSession(id: string): Promise<Outcome> {
  const response = await callCommand('end_session', { id })
  return response.ok ? success(undefined) : response
}

/** Ends all other sessions. */
export async function revokeOtherSessions(): Promise<Outcome> {
  const response = await requestAuth('logout?scope=others', { method: 'POST' })
  return response.ok ? success(undefined) : response
}
