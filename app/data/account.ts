import type { Outcome } from './failures.ts'

export interface Account {
  status: 'loading' | 'signed-out' | 'signed-in'
  /** Null unless signed in. */
  email: string | null
}

/** Who is signed in here, following other tabs. Restored from the cookie on reload. */
export declare function useAccount(): Account

export interface LinkOptions {
  /** Path (with query) in the app to land on after the link; default `/`. */
  next?: string
  /** Token of an invitation: permits making an account where sign-up is by invitation. */
  invitation?: string
  /** The set-up token: permits making the first account. */
  setup?: string
}

/** Mails a sign-in link with a 6-digit code (PKCE, S256). Also answers ok for unknown addresses. */
export declare function askForLink(email: string, options?: LinkOptions): Promise<Outcome>
/** Signs in with the 6 digits of the mail. `recovery` codes come from `askForNewPassword`. */
export declare function enterCode(email: string, code: string): Promise<Outcome>
/**
 * Uses the `token_hash` of a mailed link; call it from a button, since mail scanners open links.
 * A hash that starts with `pkce_` leaves the page for the backend's verify address and comes back at
 * `/auth/callback?code=…` (then `finishCallback`); any other signs in here.
 * The value is the path to go on to, or null while the page is leaving.
 */
export declare function confirmLink(link: {
  tokenHash: string
  type: string
  next?: string
}): Promise<Outcome<string | null>>
/** Finishes `?code=` (or shows why not) after a redirect; the value is the path to go on to. */
export declare function finishCallback(url: string): Promise<Outcome<string>>
export declare function signInWithPassword(email: string, password: string): Promise<Outcome>
/** `signedIn` false: a mail waits to be confirmed. */
export declare function signUpWithPassword(
  email: string,
  password: string,
  options?: LinkOptions,
): Promise<Outcome<{ signedIn: boolean }>>
/** Mails a link and code to choose a new password. Also answers ok for unknown addresses. */
export declare function askForNewPassword(email: string): Promise<Outcome>
/** Needs a session. */
export declare function setPassword(password: string): Promise<Outcome>
/** Ends this session and clears what was kept here (cache, drafts, outbox). */
export declare function signOut(): Promise<Outcome>
