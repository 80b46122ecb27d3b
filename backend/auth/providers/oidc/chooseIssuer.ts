import { decodeJwt } from 'jose'
import type { AuthContext } from '../../AuthContext.ts'
import { AuthError, invalid } from '../../http/AuthError.ts'
import type { ProviderName, ProviderSettings } from '../../settings/providerSettings.ts'
import { findCustomProvider } from '../custom/customProvider.ts'
import { issuerOptions } from '../custom/createCustomProvider.ts'
import { aliasesOf } from '../builtIn/createBuiltInProvider.ts'
import type { IssuerOptions } from './createIssuers.ts'
import { azureTenantOf, isAppleIssuer, isAzureIssuer, isAzureV1Issuer, issuers } from './issuerNames.ts'
import type { Pool } from '../../../postgres/connections/pool.ts'

/** What a request states about its ID token. */
interface IdTokenRequest {
  provider: string
  issuer: string
  clientId: string
  idToken: string
}

/** The issuer that must have signed a token, and the accepted audiences. */
export interface ChosenIssuer {
  /** The provider's name in identities. */
  provider: string
  issuer: string
  options: IssuerOptions
  audiences: string[]
  skipNonceCheck: boolean
  emailOptional: boolean
}

/** Providers with a single issuer. */
const fixedIssuers = {
  google: issuers.google,
  facebook: issuers.facebook,
  kakao: issuers.kakao,
  vercel_marketplace: issuers.vercel,
  snapchat: issuers.snapchat,
} as const satisfies Partial<Record<ProviderName, string>>

/**
 * Chooses the issuer that must have signed a token. It is never taken from the token alone: if a provider has
 * several issuers (Apple's two, Microsoft's tenants), the token must name one of those, otherwise an attacker's
 * issuer could sign for anybody (CVE-2026-31813).
 * @throws AuthError 400 validation_failed, provider_disabled
 */
export async function chooseIssuer(
  ctx: Pick<AuthContext, 'pool' | 'settings'>,
  request: IdTokenRequest,
): Promise<ChosenIssuer> {
  const { provider, issuer } = request
  const { providers } = ctx.settings.external
  if (provider === 'apple' || isAppleIssuer(issuer)) {
    const named = namedIssuer(request, 'Apple', isAppleIssuer)
    return chooseBuiltIn('apple', providers.apple, named, aliasesOf(named))
  }
  if (provider === 'azure' || isAzureIssuer(issuer)) {
    const tenant = azureTenantOf(providers.azure.url)
    // GoTrue accepts tokens of any tenant, even if one is configured.
    const isAccepted = (one: string) =>
      tenant === null ? isAzureIssuer(one) || isAzureV1Issuer(one) : one === tenant
    return chooseBuiltIn('azure', providers.azure, namedIssuer(request, 'Azure', isAccepted))
  }
  for (const [name, fixedIssuer] of Object.entries(fixedIssuers) as [keyof typeof fixedIssuers, string][]) {
    if (provider === name || issuer === fixedIssuer) return chooseBuiltIn(name, providers[name], fixedIssuer)
  }
  const { keycloak } = providers
  if (provider === 'keycloak' || (keycloak.enabled && issuer === keycloak.url)) {
    return chooseBuiltIn('keycloak', keycloak, keycloak.url)
  }
  if (provider.startsWith('custom:')) return chooseCustom(ctx.pool, provider)
  throw invalid(`Custom OIDC provider "${provider}" not allowed`)
}

function chooseBuiltIn(
  provider: ProviderName,
  settings: ProviderSettings,
  issuer: string,
  options: IssuerOptions = {},
): ChosenIssuer {
  if (!settings.enabled) {
    throw new AuthError(400, 'provider_disabled', `Provider (issuer "${issuer}") is not enabled`)
  }
  return {
    provider,
    issuer,
    options,
    audiences: settings.clientIds,
    // Facebook's Limited Login has no nonce that could be checked.
    skipNonceCheck: settings.skipNonceCheck || provider === 'facebook',
    emailOptional: settings.emailOptional,
  }
}

/** The issuer that a token names, if it is one of the provider's. */
function namedIssuer(
  request: IdTokenRequest,
  name: 'Apple' | 'Azure',
  isAccepted: (issuer: string) => boolean,
): string {
  let named: string
  try {
    named = decodeJwt(request.idToken).iss ?? ''
  } catch {
    throw invalid(`Unable to detect issuer in ID token for ${name} provider`)
  }
  if (!isAccepted(named)) throw invalid(`Detected ID token issuer is not an ${name} ID token issuer`)
  if (request.issuer !== '' && request.issuer !== named) {
    throw invalid('Provided issuer does not match ID token issuer')
  }
  return named
}

async function chooseCustom(pool: Pool, name: string): Promise<ChosenIssuer> {
  const row = await findCustomProvider(pool, name)
  if (!row) throw invalid(`Custom provider "${name}" not found`)
  if (!row.enabled) {
    throw new AuthError(400, 'provider_disabled', `Custom provider "${name}" is disabled`)
  }
  if (row.provider_type !== 'oidc') throw invalid(`Provider "${name}" is not an OIDC provider`)
  if (row.issuer === null) throw invalid(`OIDC provider "${name}" missing issuer`)
  return {
    provider: name,
    issuer: row.issuer,
    options: issuerOptions(row),
    audiences: [row.client_id, ...row.acceptable_client_ids],
    skipNonceCheck: row.skip_nonce_check,
    emailOptional: row.email_optional,
  }
}
