import type { OwnSession } from '../../../wire/linnet.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { requestAuth } from '../client/requestAuth.ts'

export type { OwnSession }

/** Where one is signed in: here first, then those used last. */
export function listSessions(): Promise<Outcome<OwnSession[]>> {
  return callCommand('my_sessions', {})
}

/** Signs out elsewhere. */
export async function revokeSession(id: string): Promise<Outcome> {
  const response = await callCommand('end_session', { id })
  return response.ok ? success(undefined) : response
}

/** Signs out everywhere but here. */
export async function revokeOtherSessions(): Promise<Outcome> {
  const response = await requestAuth('logout?scope=others', { method: 'POST' })
  return response.ok ? success(undefined) : response
}
