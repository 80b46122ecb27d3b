import { adoptSession } from '../client/requestAuth.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'

/** The response to a successful sign-in. */
export interface NewSession {
  access_token: string
  refresh_token: string
  user: { id: string; email?: string | undefined }
}

/** A session that is not stored yet: only this page has it in memory. */
export interface OfferedSession {
  /** The address of its account; null if it has none. */
  email: string | null
  /** Makes it the session of this browser, and ends the one before. */
  accept: () => Promise<Outcome>
  /** Ends it on the server. */
  decline: () => Promise<void>
}

/**
 * Stores the session at once if its account is expected: the signed-in one, the one that the page has `named`, or any if
 * this browser requested the sign-in (`requestedHere`) and nobody is signed in; the value is null then. Otherwise the
 * value is the session, to be accepted once the reader has seen its account.
 */
export async function offerSession(
  session: NewSession,
  named: string | null,
  { requestedHere = false } = {},
): Promise<Outcome<OfferedSession | null>> {
  const { data } = await (await getClient()).auth.getSession()
  const present = data.session
  const email = session.user.email ?? null
  const accept = async (): Promise<Outcome> => {
    const taken = await adoptSession(session)
    if (taken.ok && present && present.user.id !== session.user.id) await endSession(present)
    return taken
  }
  const expected = present ? present.user.id === session.user.id : requestedHere
  if (expected || isSameAddress(named, email)) {
    const taken = await accept()
    return taken.ok ? success(null) : taken
  }
  return success({ email, accept, decline: () => endSession(session) })
}

/** Whether two addresses are of the same account; the server stores them in lower case. */
export function isSameAddress(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() === other.toLowerCase()
}

/** Timeout (ms) of ending a session. */
const END_TIMEOUT_MS = 5_000

/** Ends a session on the server; best effort. */
export async function endSession({ access_token }: { access_token: string }): Promise<void> {
  try {
    const { url, key } = await loadSettings()
    await fetch(`${url}/auth/v1/logout?scope=local`, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${access_token}` },
      signal: AbortSignal.timeout(END_TIMEOUT_MS),
    })
  } catch {
    // Unreachable. Its refresh token is not stored anywhere, so it will not be refreshed.
  }
}
