import { i18n } from '@lingui/core'

/** The reason why an action failed, with a sentence for the user. */
export interface Failure {
  /** The constraint, error of a command or code of auth. It is an identifier and never shown. */
  name: string
  /** What happened and what can be done, in the reader's language. */
  message: string
  /** Whether repeating the request later may succeed (network, limits). */
  isRetryable: boolean
  /** Delay before the next attempt, if the response contains one. */
  seconds?: number
}

/** The result of every action. Actions never throw. */
export type Outcome<T = void> = { ok: true; value: T } | { ok: false; failure: Failure }

/** Wraps a value as the outcome of a successful action. */
export function success<T>(value: T): Outcome<T> {
  return { ok: true, value }
}

/** The outcome of an action whose value the caller does not need. */
export function withoutValue(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? success(undefined) : outcome
}

/** Creates the failure with this name. An unknown name gets the sentence of its HTTP status. */
export function createFailure(name: string, status = 0): Failure {
  const sentence = sentenceFor(name)
  if (sentence) return { name, message: sentence, isRetryable: RETRYABLE.has(name) }
  return failureByStatus(name, status)
}

/** Converts an error that a client library threw or returned into a failure with a sentence. */
export function failureFrom(cause: unknown, status?: number): Failure {
  const parts = partsOf(cause)
  const at = status || parts.status
  if (at === 0 && isNetworkFault(cause, parts)) return createFailure('network')
  const constraint = /constraint "([^"]+)"/.exec(parts.message)?.[1]
  // The sign-up hook sends its own message.
  if (/by invitation/i.test(parts.message)) return createFailure('sign_up_by_invitation')
  for (const name of [constraint, parts.name, parts.message, parts.code]) {
    if (name && sentenceFor(name)) return createFailure(name, at)
  }
  if (at === 401) return createFailure('session_ended')
  return failureByStatus(constraint ?? (parts.code || parts.name || 'unknown'), at)
}

interface Parts {
  code: string
  message: string
  name: string
  status: number
}

function partsOf(cause: unknown): Parts {
  const raw = (typeof cause === 'object' && cause !== null ? cause : {}) as Record<string, unknown>
  const text = (key: string) => (typeof raw[key] === 'string' ? raw[key] : '')
  const status = Number(raw.status ?? raw.statusCode ?? 0)
  return {
    code: text('error_code') || text('code'),
    message: text('message') || text('msg'),
    name: text('error') || text('name'),
    status: Number.isFinite(status) ? status : 0,
  }
}

function isNetworkFault(cause: unknown, parts: Parts): boolean {
  return (
    cause instanceof TypeError ||
    parts.name === 'AuthRetryableFetchError' ||
    parts.name === 'AbortError' ||
    parts.code === '' ||
    /fetch|network|load failed/i.test(parts.message)
  )
}

function failureByStatus(name: string, status: number): Failure {
  if (status === 429) return { name, message: tooManyRequests(), isRetryable: true }
  if (status === 413) return { name, message: tooLarge(), isRetryable: false }
  if (status === 403 || status === 404) return { name, message: notFound(), isRetryable: false }
  const again = status === 0 || status >= 500
  const sentence = again
    ? i18n._('Something went wrong on the server. Try again in a moment.')
    : i18n._('Something went wrong. Reload the page and try again.')
  return { name, message: sentence, isRetryable: again }
}

const tooManyRequests = () => i18n._('Too many attempts. Wait a minute and try again.')
const tooLarge = () => i18n._('That’s too large to send. Shorten it, or choose a smaller file.')
const notFound = () => i18n._('This doesn’t exist, or you don’t have access to it.')
const illegible = () =>
  i18n._('This text contains invisible characters that can’t be saved. Type it again instead of pasting it.')
const signInAgain = () => i18n._('You’ve been signed out. Sign in again; your draft is saved here.')
/** The sentence for a request that the server does not know, because page and server have different versions. */
export const outdatedClient = () => i18n._('Linnet was updated. Reload the page to get the latest version.')

/** Failures that are temporary: a retry may succeed. */
const RETRYABLE = new Set([
  'network',
  'over_request_rate_limit',
  'rate_limited',
  'second_factor_required',
  'over_email_send_rate_limit',
  'request_timeout',
  'hook_timeout',
  'session_ended',
  'PGRST301',
  'PGRST303',
  'PGRST000',
  'PGRST001',
  'PGRST002',
  'PGRST003',
])

/** Sentences by name: constraints and errors of commands, codes of auth, network errors. */
const SENTENCES: Record<string, () => string> = {
  network: () => i18n._('The server can’t be reached. Check your connection; we’ll keep trying.'),
  device_memory: () =>
    i18n._('This device’s storage is full or blocked. Stay on this page until everything is sent.'),

  not_found: notFound,
  not_allowed: () => i18n._('You don’t have permission to do that. Ask a workspace admin.'),
  silenced: () => i18n._('An admin has silenced you. Until that ends, you can read but not write or react.'),
  not_a_member: () => i18n._('Join the channel to post.'),
  archived: () => i18n._('This channel is archived and can’t be changed.'),
  channel_on_web: () =>
    i18n._(
      'Not sent: this channel is on the web now, where anyone can read it. Send it again if it may be public.',
    ),
  posting_admins: () => i18n._('Only channel managers can post here.'),
  second_factor_missing: () => i18n._('Confirm with your second factor to continue.'),
  second_factor_required: () => i18n._('This workspace requires two-factor authentication. Set it up first.'),
  session_ended: signInAgain,
  PGRST301: signInAgain,
  PGRST303: signInAgain,

  messages_body_length: () =>
    i18n._('Messages can be up to 20,000 characters. Split it up, or attach it as a file.'),
  messages_not_empty: () => i18n._('Write something or attach a file first.'),
  message_deleted: () => i18n._('This message was deleted.'),
  bad_emoji: () => i18n._('This can’t be used as a reaction.'),
  bad_extra: outdatedClient,
  too_many: outdatedClient,
  not_a_thread: () => i18n._('You can’t reply to this message in a thread.'),
  conflict: () => i18n._('That already exists. Reload the page to see it.'),
  too_many_threads: outdatedClient,
  reactions_kinds: () => i18n._('This message has reached its limit of different reactions.'),
  PayloadTooLarge: tooLarge,
  EntityTooLarge: tooLarge,

  user_banned: () => i18n._('This account has been deactivated. Contact a workspace admin.'),
  refresh_token_not_found: signInAgain,
  refresh_token_already_used: signInAgain,
  session_not_found: signInAgain,
  session_expired: signInAgain,
  over_request_rate_limit: tooManyRequests,
  rate_limited: tooManyRequests,

  bad_cursor: outdatedClient,
  bad_filter: outdatedClient,
  bad_state: outdatedClient,
}

/** Adds sentences for the failures of one part of the app. They are loaded together with that part. */
export function registerSentences(more: Record<string, () => string>): void {
  Object.assign(SENTENCES, more)
}

function sentenceFor(name: string): string | null {
  // The constraints of one rule, `app.is_legible`.
  if (name.endsWith('_legible')) return illegible()
  return Object.hasOwn(SENTENCES, name) ? (SENTENCES[name]?.() ?? null) : null
}

/** Runs an action. A thrown error becomes its failure, and so does a module that can't be loaded. */
export async function attempt<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await run()
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
