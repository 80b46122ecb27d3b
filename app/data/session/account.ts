import { useSyncExternalStore } from 'react'
import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'
import { attempt, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from './clientSession.ts'
import { startClientSession, stopClientSession } from './startClientSession.ts'
import { signedInByCookie, userOfSession } from '../client/sessionCookie.ts'
import type { SignedInUser } from '../client/sessionCookie.ts'

export interface Account {
  /** `mfa-required`: signed in, but the second factor has not been verified yet. */
  status: 'loading' | 'signed-out' | 'mfa-required' | 'signed-in'
  /** Null while signed out. */
  email: string | null
  /** The session of this page if it has ended without a sign-out by this page; else absent. */
  ended?: { sessionId: string | undefined; noticedAt: string }
}

let account: Account = { status: 'loading', email: null }
const listeners = new Set<() => void>()
let watching = false
let sessionId: string | undefined
/** Whether this page ends the session. */
let isSigningOut = false

function setAccount(next: Account) {
  if (next.status === account.status && next.email === account.email) return
  account = next
  for (const listener of listeners) listener()
}

/**
 * Restores the session from the cookie and follows its changes, including those by other tabs.
 * The cookie is trusted until the server rejects it, so that messages can be read offline.
 */
async function watch() {
  if (watching) return
  watching = true
  try {
    const settings = await loadSettings()
    const stored = signedInByCookie(settings)
    if (stored) onSignedIn(stored)
    else if (account.status === 'loading') setAccount({ status: 'signed-out', email: null })
    const client = await getClient()
    client.auth.onAuthStateChange((event, session) => {
      if (session) onSignedIn(userOfSession(session))
      else if (event === 'SIGNED_OUT' || !signedInByCookie(settings)) {
        // Drafts and pending mutations stay for the next sign-in of this user; an explicit sign-out has cleared them before.
        void stopClientSession('cache')
        const isEnded = account.status === 'signed-in' && !isSigningOut
        setAccount({
          status: 'signed-out',
          email: null,
          ...(isEnded ? { ended: { sessionId, noticedAt: new Date().toISOString() } } : {}),
        })
      }
    })
  } catch {
    // Settings or library failed to load: cached rows stay displayed, and the next call tries again.
    watching = false
    setTimeout(() => void watch(), 3_000)
  }
}

function isOtherAccount(id: string): boolean {
  const current = getClientSession()
  return current !== null && current.userId !== id
}

function onSignedIn({ id, email, needsSecondFactor, ...user }: SignedInUser) {
  sessionId = user.sessionId
  // Cached rows are cleared if the second factor is required, and if another account signed in.
  if (needsSecondFactor || isOtherAccount(id)) void stopClientSession('cache')
  if (!needsSecondFactor) startClientSession(id)
  setAccount({ status: needsSecondFactor ? 'mfa-required' : 'signed-in', email })
}

function subscribe(listener: () => void) {
  void watch()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The signed-in account, shared by all tabs. Restored from the cookie on reload. */
export function useAccount(): Account {
  return useSyncExternalStore(subscribe, () => account)
}

/** Ends this session and clears its data on this device (cache, drafts, outbox). Also works offline. */
export function signOut(): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    isSigningOut = true
    try {
      await stopClientSession('everything')
      // Also if the server is unreachable or has ended the session.
      await client.auth.signOut({ scope: 'local' })
    } finally {
      isSigningOut = false
    }
    return success(undefined)
  })
}
