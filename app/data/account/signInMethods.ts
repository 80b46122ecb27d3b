import { success, type Outcome } from '../failures/failures.ts'
import { requestAuth } from '../client/requestAuth.ts'
import { createQuery } from '../queries/createQuery.ts'
import { supportsWebAuthn } from './credentials.ts'

/** The sign-in methods that are configured on the server. */
export interface SignInMethods {
  /** Links and codes by mail. */
  mailedCodes: boolean
  passwords: boolean
  phone: boolean
  passkeys: boolean
  /** Whether the server accepts passkeys, which this page may not be able to use. */
  hasPasskeys: boolean
  /** Identifiers of providers for `/authorize`. */
  providers: string[]
  /** No mail server is configured: mails are stored in a mailbox that opens on the server's machine only. */
  hasLocalMailbox: boolean
  /** The command of the server, as it is typed on its machine. */
  linnet: string
}

const NOT_PROVIDERS = new Set(['email', 'phone', 'anonymous_users'])

/** Fetches `GET /auth/v1/settings`. */
async function fetchSignInMethods(): Promise<Outcome<SignInMethods>> {
  const response = await requestAuth<{
    external?: Record<string, boolean>
    passkeys_enabled?: boolean
    mailer_local_mailbox?: boolean
    mailer_codes_disabled?: boolean
    passwords_disabled?: boolean
    linnet_command?: string
  }>('settings')
  if (!response.ok) return response
  const external = response.value.external ?? {}
  const hasPasskeys = response.value.passkeys_enabled === true
  // The provider of the official server that has both.
  const hasEmail = external['email'] !== false
  return success({
    mailedCodes: hasEmail && response.value.mailer_codes_disabled !== true,
    passwords: hasEmail && response.value.passwords_disabled !== true,
    phone: external['phone'] === true,
    passkeys: hasPasskeys && supportsWebAuthn(),
    hasPasskeys,
    providers: Object.keys(external).filter((name) => external[name] === true && !NOT_PROVIDERS.has(name)),
    hasLocalMailbox: response.value.mailer_local_mailbox === true,
    linnet: response.value.linnet_command ?? 'linnet',
  })
}

/** The sign-in methods of the server, which are fetched once. */
export const signInMethods = createQuery({
  fetch: fetchSignInMethods,
  isPublic: true,
  maxStored: 1,
  freshMs: Infinity,
})
