import { i18n } from '@lingui/core'
import { pathTo } from '../../paths.ts'
import { toStoredAddress } from '../../../wire/emailAddress.ts'
import { requestAuth } from '../client/requestAuth.ts'
import { authFailure } from '../client/authFailure.ts'
import { attempt, success, createFailure } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import type { AuthError, Client } from '../client/createSessionClient.ts'
import { getClient } from '../client/getClient.ts'
import { callCommand } from '../client/callCommand.ts'
import { cookieName } from '../client/sessionCookie.ts'
import { loadSettings } from '../client/settings.ts'
import { createQuery } from '../queries/createQuery.ts'
import { callbackUrl, internalPath } from './internalPath.ts'
import { offerSession, type NewSession, type OfferedSession } from './offeredSession.ts'

export interface LinkOptions {
  /** Path (with query) of the app to open after the link; default `/`. */
  next?: string
  /** Token of an invitation, which permits creating an account. */
  invitation?: string
  /** The set-up token, which permits creating the first account. */
  setup?: string
}

/** Errors for an address that has no account and may not create one. */
const UNKNOWN_ACCOUNT_FAILURES = new Set(['sign_up_by_invitation', 'otp_disabled', 'signup_disabled'])

/**
 * Mails a sign-in link with a 6-digit code (PKCE, S256). The result is also ok for unknown addresses without an
 * invitation, so that it does not reveal who has an account.
 */
export async function requestSignInLink(email: string, options: LinkOptions = {}): Promise<Outcome> {
  const token = options.invitation ?? options.setup
  const permitted = await requestSignUp(email, options)
  if (!permitted.ok) return permitted
  const outcome = await mailLink(email, options)
  if (!outcome.ok && token === undefined && UNKNOWN_ACCOUNT_FAILURES.has(outcome.failure.name))
    return success(undefined)
  return outcome
}

/** Permits an account for an address, by the token of an invitation or the set-up token. */
export async function requestSignUp(email: string, { invitation, setup }: LinkOptions): Promise<Outcome> {
  const token = invitation ?? setup
  if (token === undefined) return success(undefined)
  const permitted = await callCommand('request_sign_up', { token, email: toStoredAddress(email) })
  if (permitted.ok) return success(undefined)
  const isOver = setup !== undefined && permitted.failure.name === 'invitation_invalid'
  return isOver ? { ok: false, failure: createFailure('setup_closed') } : permitted
}

/**
 * Creates an account with a password and signs in, where the server sends no codes by mail. Fails with `user_already_exists` if the
 * address has an account.
 */
export async function signUpWithPassword(
  email: string,
  password: string,
  options: LinkOptions,
): Promise<Outcome> {
  const permitted = await requestSignUp(email, options)
  if (!permitted.ok) return permitted
  const data = languageOfMails()
  return signInBy((auth) => auth.signUp({ email: toStoredAddress(email), password, options: { data } }))
}

/** The metadata of a new account: its mails are in the language of the page that requested them. */
function languageOfMails(): { language: string } {
  return { language: i18n.locale }
}

function mailLink(email: string, options: LinkOptions): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.signInWithOtp({
      email: toStoredAddress(email),
      options: { emailRedirectTo: callbackUrl(options.next), data: languageOfMails() },
    })
    return error ? { ok: false, failure: authFailure(error) } : success(undefined)
  })
}

/** Signs in with credentials; the library stores the session and notifies the other tabs. */
function signInBy(signIn: (auth: Client['auth']) => Promise<{ error: AuthError | null }>): Promise<Outcome> {
  return attempt(async () => {
    const { auth } = await getClient()
    const { error } = await signIn(auth)
    return error ? { ok: false, failure: authFailure(error) } : success(undefined)
  })
}

/** Signs in with the mailed code. `recovery` for codes of `requestPasswordReset`. */
export function verifyEmailCode(
  email: string,
  code: string,
  type: 'email' | 'recovery' = 'email',
): Promise<Outcome> {
  return signInBy((auth) => auth.verifyOtp({ type, email: toStoredAddress(email), token: code }))
}

/** Sends a code to a phone number (E.164). The result is also ok for unknown numbers. */
export function requestPhoneCode(phone: string): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.signInWithOtp({ phone, options: { shouldCreateUser: false } })
    if (!error || UNKNOWN_ACCOUNT_FAILURES.has(error.code ?? '')) return success(undefined)
    return { ok: false, failure: authFailure(error) }
  })
}

/** Signs in with the code that was sent to a phone. */
export function verifyPhoneCode(phone: string, code: string): Promise<Outcome> {
  return signInBy((auth) => auth.verifyOtp({ type: 'sms', phone, token: code }))
}

const LINK_TYPES = ['email', 'magiclink', 'signup', 'recovery', 'invite', 'email_change'] as const

export interface MailedLink {
  tokenHash: string
  type: string
  next?: string
  /** The address of the link's account that the page has displayed; null if the link contains none. */
  named?: string | null
}

/** A sign-in that is complete, or has to be confirmed by the reader. */
export interface SignedIn {
  /** The path to continue to. */
  next: string
  /** The session of an account that was not displayed to the reader yet; null: signed in. */
  offered: OfferedSession | null
}

/** Session storage key of `named` while the browser is at the backend's verify URL. */
const NAMED = 'linnet.named'

function storeNamed(named: string | null): void {
  try {
    if (named === null) sessionStorage.removeItem(NAMED)
    else sessionStorage.setItem(NAMED, named)
  } catch {
    // Without storage the callback asks the reader to confirm the account again.
  }
}

function takeNamed(): string | null {
  try {
    const named = sessionStorage.getItem(NAMED)
    sessionStorage.removeItem(NAMED)
    return named
  } catch {
    return null
  }
}

/**
 * Uses the `token_hash` of a mailed link; call it from a button, since mail scanners open links.
 * A hash that starts with `pkce_` navigates to the backend's verify URL, which redirects to `/auth/callback?code=…` (see
 * `finishCallback`); the value is null. Any other signs in here, if its account is the signed-in one or the one that the
 * page has displayed, since anybody can send a link to an account of their own.
 */
export function confirmLink(link: MailedLink): Promise<Outcome<SignedIn | null>> {
  return attempt<SignedIn | null>(async () => {
    const type = LINK_TYPES.find((one) => one === link.type)
    if (!type) return { ok: false, failure: createFailure('otp_expired') }
    if (link.tokenHash.startsWith('pkce_')) {
      // Only the browser that requested the link can use it. Verifying it here would also invalidate the mailed code.
      if (!(await hasCodeVerifier())) return { ok: false, failure: createFailure('link_of_other_browser') }
      const { url } = await loadSettings()
      const verify = new URL(`${url}/auth/v1/verify`)
      verify.search = new URLSearchParams({
        token: link.tokenHash,
        type: type === 'email' ? 'magiclink' : type,
        redirect_to: callbackUrl(link.next),
      }).toString()
      storeNamed(link.named ?? null)
      location.assign(verify)
      return success(null)
    }
    const body = { type, token_hash: link.tokenHash }
    const response = await requestAuth<NewSession>('verify', { method: 'POST', body })
    if (!response.ok) return response
    return signedIn(await offerSession(response.value, link.named ?? null), link.next)
  })
}

function signedIn(offered: Outcome<OfferedSession | null>, next: string | null | undefined) {
  return offered.ok ? success({ next: internalPath(next), offered: offered.value }) : offered
}

/** Whether this browser has stored the code verifier of a link that it requested. */
async function hasCodeVerifier(): Promise<boolean> {
  const name = cookieName(await loadSettings())
  // The library stores one for each pending request, and another for the last one.
  return document.cookie.split('; ').some((cookie) => {
    const rest = cookie.startsWith(name) ? cookie.slice(name.length) : ''
    return /^(-flow-[\w-]+)?-code-verifier=/.test(rest)
  })
}

export interface Finished extends SignedIn {
  /** One of two addresses has confirmed a change; the other has to confirm it too. */
  isHalfConfirmed: boolean
}

/** The result of `?code=` after a redirect. It is stored, since a code can be exchanged only once. */
export const finishedCallback = createQuery({
  isPublic: true,
  maxStored: 1,
  freshMs: Infinity,
  fetch: finishCallback,
})

function finishCallback(url: string): Promise<Outcome<Finished>> {
  return attempt<Finished>(async () => {
    const { searchParams, hash } = new URL(url, location.origin)
    const fragment = new URLSearchParams(hash.slice(1))
    const parameter = (name: string) => searchParams.get(name) ?? fragment.get(name)
    const errorCode = parameter('error_code') ?? parameter('error')
    if (errorCode)
      return { ok: false, failure: callbackFailure(errorCode, parameter('error_description') ?? '') }
    const next = internalPath(searchParams.get('next'))
    const client = await getClient()
    // A link of an address change signs nobody in; a session of this browser is refreshed.
    if (fragment.get('type') === 'email_change') {
      await client.auth.refreshSession()
      return success({ next, offered: null, isHalfConfirmed: false })
    }
    if (parameter('message')) return success({ next, offered: null, isHalfConfirmed: true })
    const code = searchParams.get('code')
    if (!code) return { ok: false, failure: createFailure('no_code') }
    const { createCodeExchangeClient } = await import('../client/createSessionClient.ts')
    const exchange = createCodeExchangeClient(await loadSettings())
    const { data, error } = await exchange.exchangeCodeForSession(code)
    if (error) return { ok: false, failure: authFailure(error) }
    // The code verifier shows that this browser requested the link.
    const offered = await offerSession(data.session, takeNamed(), { requestedHere: true })
    return offered.ok ? success({ next, offered: offered.value, isHalfConfirmed: false }) : offered
  })
}

/** The error in the URL of the redirect; the sign-up hook sends its own message. */
function callbackFailure(code: string, description: string): Failure {
  return authFailure({ code, message: description.replaceAll('+', ' '), status: 403 })
}

export function signInWithPassword(email: string, password: string): Promise<Outcome> {
  return signInBy((auth) => auth.signInWithPassword({ email: toStoredAddress(email), password }))
}

/** Mails a link and code to choose a new password. Also answers ok for unknown addresses. */
export function requestPasswordReset(email: string, next = pathTo('newPassword')): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.resetPasswordForEmail(toStoredAddress(email), {
      redirectTo: callbackUrl(next),
    })
    return error ? { ok: false, failure: authFailure(error) } : success(undefined)
  })
}
