import '../entryFailures.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { attempt } from './attempt.ts'
import { getClient } from './client.ts'
import { loadSettings } from './connection.ts'

export interface LinkOptions {
  /** Path (with query) in the app to land on after the link; default `/`. */
  next?: string
  /** Token of an invitation: permits making an account where sign-up is by invitation. */
  invitation?: string
  /** The set-up token: permits making the first account. */
  setup?: string
}

/** Only paths of this app: a link must not be able to send people elsewhere once they signed in. */
function safePath(next: string | null | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/'
}

function callbackUrl(next: string | undefined): string {
  const url = new URL('/auth/callback', location.origin)
  if (next) url.searchParams.set('next', safePath(next))
  return url.href
}

function proofOf(options: LinkOptions): Record<string, string> {
  return {
    ...(options.invitation ? { invitation: options.invitation } : {}),
    ...(options.setup ? { setup: options.setup } : {}),
  }
}

/** What the server answers where an address has no account and may not have one. */
const STRANGERS = new Set(['sign_up_by_invitation', 'otp_disabled', 'signup_disabled'])

/**
 * Mails a sign-in link with a 6-digit code (PKCE, S256). Also answers ok for unknown addresses, unless they
 * came with an invitation: the page must not tell who has an account.
 */
export async function askForLink(email: string, options: LinkOptions = {}): Promise<Outcome> {
  const outcome = await mailLink(email, options)
  if (!outcome.ok && options.setup !== undefined && STRANGERS.has(outcome.failure.name))
    return { ok: false, failure: failureNamed('setup_closed') }
  const invited = options.invitation !== undefined || options.setup !== undefined
  if (!outcome.ok && !invited && STRANGERS.has(outcome.failure.name)) return done(undefined)
  return outcome
}

function mailLink(email: string, options: LinkOptions): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.signInWithOtp({
      email: email.trim(),
      options: { emailRedirectTo: callbackUrl(options.next), data: proofOf(options) },
    })
    return error ? { ok: false, failure: failureFrom(error) } : done(undefined)
  })
}

/** Signs in with the 6 digits of the mail. `recovery` for codes from `askForNewPassword`. */
export function enterCode(
  email: string,
  code: string,
  type: 'email' | 'recovery' = 'email',
): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.verifyOtp({
      email: email.trim(),
      token: code.replace(/\D/g, ''),
      type,
    })
    return error ? { ok: false, failure: failureFrom(error) } : done(undefined)
  })
}

const LINK_TYPES = ['email', 'magiclink', 'signup', 'recovery', 'invite', 'email_change'] as const

/**
 * Uses the `token_hash` of a mailed link; call it from a button, since mail scanners open links.
 * A hash that starts with `pkce_` leaves the page for the backend's verify address and comes back at
 * `/auth/callback?code=…` (then `finishCallback`); any other signs in here.
 * The value is the path to go on to, or null while the page is leaving.
 */
export function confirmLink(link: {
  tokenHash: string
  type: string
  next?: string
}): Promise<Outcome<string | null>> {
  return attempt<string | null>(async () => {
    const type = LINK_TYPES.find((one) => one === link.type)
    if (!type) return { ok: false, failure: failureNamed('otp_expired') }
    if (link.tokenHash.startsWith('pkce_')) {
      const { url } = await loadSettings()
      const verify = new URL(`${url}/auth/v1/verify`)
      verify.search = new URLSearchParams({
        token: link.tokenHash,
        type: type === 'email' ? 'magiclink' : type,
        redirect_to: callbackUrl(link.next),
      }).toString()
      location.assign(verify)
      return done(null)
    }
    const client = await getClient()
    const { error } = await client.auth.verifyOtp({ token_hash: link.tokenHash, type })
    return error ? { ok: false, failure: failureFrom(error) } : done(safePath(link.next))
  })
}

/** Finishes `?code=` (or shows why not) after a redirect; the value is the path to go on to. */
export function finishCallback(url: string): Promise<Outcome<string>> {
  // A code is good for once: a page that asks twice means the same.
  if (finishing?.url !== url) finishing = { url, outcome: finish(url) }
  return finishing.outcome
}

let finishing: { url: string; outcome: Promise<Outcome<string>> } | null = null

function finish(url: string): Promise<Outcome<string>> {
  return attempt(async () => {
    const { searchParams, hash } = new URL(url, location.origin)
    const fragment = new URLSearchParams(hash.slice(1))
    const fault = searchParams.get('error_code') ?? fragment.get('error_code')
    if (fault) return { ok: false, failure: failureNamed(fault, 403) }
    const code = searchParams.get('code')
    const next = safePath(searchParams.get('next'))
    if (!code) return { ok: false, failure: failureNamed('no_code') }
    const client = await getClient()
    const { error } = await client.auth.exchangeCodeForSession(code)
    return error ? { ok: false, failure: failureFrom(error) } : done(next)
  })
}

export function signInWithPassword(email: string, password: string): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.signInWithPassword({ email: email.trim(), password })
    return error ? { ok: false, failure: failureFrom(error) } : done(undefined)
  })
}

/** Mails a link and code to choose a new password. Also answers ok for unknown addresses. */
export function askForNewPassword(email: string, next = '/new-password'): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.resetPasswordForEmail(email.trim(), {
      redirectTo: callbackUrl(next),
    })
    return error ? { ok: false, failure: failureFrom(error) } : done(undefined)
  })
}

/** Needs a session. */
export function setPassword(password: string): Promise<Outcome> {
  return attempt(async () => {
    const client = await getClient()
    const { error } = await client.auth.updateUser({ password })
    return error ? { ok: false, failure: failureFrom(error) } : done(undefined)
  })
}
