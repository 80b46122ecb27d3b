import { adoptSession } from '../client/requestAuth.ts'
import { done, type Outcome } from '../failures/failures.ts'
import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'

/** What the server sends for a proof that was accepted. */
export interface NewSession {
  access_token: string
  refresh_token: string
  user: { id: string; email?: string | undefined }
}

/** A session that this browser does not use yet: it is in the memory of this page alone. */
export interface OfferedSession {
  /** The address of its account; null if it has none. */
  email: string | null
  /** Makes it the session of this browser, and ends the one before. */
  accept: () => Promise<Outcome>
  /** Ends it on the server. */
  decline: () => Promise<void>
}

/**
 * Signs in at once where no other account can come of it: the session belongs to the account that is signed in, to
 * the one that the page has `named`, or (`requestedHere`) this browser asked for it and nobody is signed in. The value
 * is null then; else the session, to be accepted once the reader has been shown whose it is.
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
    return taken.ok ? done(null) : taken
  }
  return done({ email, accept, decline: () => endSession(session) })
}

/** Whether two addresses name one account; the server stores them in lower case. */
export function isSameAddress(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() === other.toLowerCase()
}

/** Milliseconds to wait for the end of a session. */
const END_TIMEOUT_MS = 5_000

/** Ends a session on the server. A session that this fails for ends when its token is not renewed. */
export async function endSession({ access_token }: { access_token: string }): Promise<void> {
  try {
    const { url, key } = await loadSettings()
    await fetch(`${url}/auth/v1/logout?scope=local`, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${access_token}` },
      signal: AbortSignal.timeout(END_TIMEOUT_MS),
    })
  } catch {
    // Unreachable: nobody here knows its refresh token any more.
  }
}
