import type { OwnSession } from '../../../wire/linnet.ts'
import { done, type Outcome } from '../failures/failures.ts'
import { command } from '../client/callCommand.ts'
import { askAuth } from '../client/requestAuth.ts'

export type { OwnSession }

/** Where one is signed in: here first, then those used last. */
export function readSessions(): Promise<Outcome<OwnSession[]>> {
  return command('my_sessions', {})
}

/** Signs out elsewhere. */
export async function endSession(id: string): Promise<Outcome> {
  const answer = await command('end_session', { id })
  return answer.ok ? done(undefined) : answer
}

/** Signs out everywhere but here. */
export async function endOtherSessions(): Promise<Outcome> {
  const answer = await askAuth('logout?scope=others', { method: 'POST' })
  return answer.ok ? done(undefined) : answer
}
