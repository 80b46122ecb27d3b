import { success, type Outcome } from '../failures/failures.ts'
import { attempt } from '../client/attempt.ts'
import { getClient } from '../client/getClient.ts'
import { loadSettings } from '../client/settings.ts'
import { callbackUrl } from '../session/internalPath.ts'
import { requestAuth } from '../client/requestAuth.ts'

/** Names that differ from what a capital makes of them. */
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

/** How a provider is called, by the name that the contract has for it. */
export function providerName(provider: string): string {
  const plain = provider.replace(/^custom:/, '')
  return NAMES[plain] ?? `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`
}

/** The question of an authorisation: the verifier stays in this browser, where the callback finds it. */
async function authorizeParameters(provider: string, next: string): Promise<URLSearchParams> {
  const client = await getClient()
  // The library's own, since it is the library that exchanges the code.
  const [challenge, method] = await client.auth['_getCodeChallengeAndMethod']()
  return new URLSearchParams({
    provider,
    redirect_to: callbackUrl(next),
    code_challenge: challenge,
    code_challenge_method: method,
  })
}

/** Leaves the page for a provider, and comes back at the callback; the value comes while the page is leaving. */
export function signInWithProvider(provider: string, next: string): Promise<Outcome> {
  return attempt(async () => {
    const { url } = await loadSettings()
    location.assign(`${url}/auth/v1/authorize?${await authorizeParameters(provider, next)}`)
    return success(undefined)
  })
}

/**
 * Whether users may connect and disconnect identities. The settings don't contain it: a request without a provider is
 * refused in either case, and the error name shows which case it is.
 */
export async function canLinkIdentities(): Promise<Outcome<boolean>> {
  const response = await requestAuth('user/identities/authorize')
  return success(response.ok || response.failure.name !== 'manual_linking_disabled')
}

/** Leaves the page to connect an account elsewhere with this one. */
export function linkProvider(provider: string, next: string): Promise<Outcome> {
  return attempt(async () => {
    const query = await authorizeParameters(provider, next)
    query.set('skip_http_redirect', 'true')
    const response = await requestAuth<{ url: string }>(`user/identities/authorize?${query}`)
    if (!response.ok) return response
    location.assign(response.value.url)
    return success(undefined)
  })
}

/** Takes a way of signing in off the account; refused for the last one. */
export async function unlinkIdentity(identityId: string): Promise<Outcome> {
  const response = await requestAuth(`user/identities/${identityId}`, { method: 'DELETE' })
  return response.ok ? success(undefined) : response
}
