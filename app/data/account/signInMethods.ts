import { success, type Outcome } from '../failures/failures.ts'
import { requestAuth } from '../client/requestAuth.ts'
import { supportsWebAuthn } from './credentials.ts'

/** The sign-in methods that are configured on the server. */
export interface SignInMethods {
  phone: boolean
  passkeys: boolean
  /** Identifiers of providers for `/authorize`. */
  providers: string[]
  /** No mail server is configured: mails are stored in a mailbox that opens on the server's machine only. */
  hasLocalMailbox: boolean
}

const NOT_PROVIDERS = new Set(['email', 'phone', 'anonymous_users'])

let cached: Promise<Outcome<SignInMethods>> | null = null

/** Fetches `GET /auth/v1/settings` once; after a failure, the next call tries again. */
export function fetchSignInMethods(): Promise<Outcome<SignInMethods>> {
  cached ??= fetchMethods().then((outcome) => {
    if (!outcome.ok) cached = null
    return outcome
  })
  return cached
}

async function fetchMethods(): Promise<Outcome<SignInMethods>> {
  const response = await requestAuth<{
    external?: Record<string, boolean>
    passkeys_enabled?: boolean
    mailer_local_mailbox?: boolean
  }>('settings')
  if (!response.ok) return response
  const external = response.value.external ?? {}
  return success({
    phone: external['phone'] === true,
    passkeys: response.value.passkeys_enabled === true && supportsWebAuthn(),
    providers: Object.keys(external).filter((name) => external[name] === true && !NOT_PROVIDERS.has(name)),
    hasLocalMailbox: response.value.mailer_local_mailbox === true,
  })
}
