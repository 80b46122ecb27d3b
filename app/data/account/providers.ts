import { attempt, success, withoutValue, type Outcome } from '../failures/failures.ts'
import { authFailure } from '../client/authFailure.ts'
import type { Provider } from '../client/createSessionClient.ts'
import { getClient } from '../client/getClient.ts'
import { callbackUrl } from '../session/internalPath.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { requestAuth } from '../client/requestAuth.ts'
import { ownAccount } from './ownAccount.ts'

/** Names that are not the capitalized identifier. */
const NAMES: Record<string, string> = {
  azure: 'Microsoft',
  fly: 'Fly.io',
  github: 'GitHub',
  gitlab: 'GitLab',
  kakao: 'Kakao',
  linkedin: 'LinkedIn',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
  twitter: 'X',
  workos: 'WorkOS',
}

/** Display name of a provider by its identifier. */
export function providerName(provider: string): string {
  const plain = provider.replace(/^custom:/, '')
  return NAMES[plain] ?? `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`
}

/** The server, which names its providers, checks the name. */
const providerRequest = (provider: string, next: string) => ({
  provider: provider as Provider,
  options: { redirectTo: callbackUrl(next) },
})

/** Navigates to a provider, which redirects to the callback; resolves while the page is unloading. */
export function signInWithProvider(provider: string, next: string): Promise<Outcome> {
  return attempt(async () => {
    const { auth } = await getClient()
    const { error } = await auth.signInWithOAuth(providerRequest(provider, next))
    return error ? { ok: false, failure: authFailure(error) } : success(undefined)
  })
}

/**
 * Whether users may connect and disconnect identities. The settings don't contain it: a request without a provider fails
 * in both cases, with different errors.
 */
export const canLinkIdentities = createQuery({
  fetch: async () => {
    const response = await requestAuth('user/identities/authorize')
    return success(response.ok || response.failure.name !== 'manual_linking_disabled')
  },
})

/** Navigates to a provider to connect an account there with this one. */
export function linkProvider(provider: string, next: string): Promise<Outcome> {
  return attempt(async () => {
    const { auth } = await getClient()
    const { error } = await auth.linkIdentity(providerRequest(provider, next))
    return error ? { ok: false, failure: authFailure(error) } : success(undefined)
  })
}

/** Disconnects a sign-in method from the account; refused for the last one. */
export async function unlinkIdentity(identityId: string): Promise<Outcome> {
  const response = await requestAuth(`user/identities/${identityId}`, { method: 'DELETE' })
  return withoutValue(refetchAfter(response, ownAccount))
}
