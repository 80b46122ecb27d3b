import { beginOAuth2, redeemOAuth2, type ClientAuth, type OAuth2Client } from '../oauth2.ts'
import type { Discovery, Issuers } from '../oidc/createIssuers.ts'
import { readIdToken } from '../oidc/readIdToken.ts'
import { readStandardClaims } from '../oidc/readStandardClaims.ts'
import { askJson } from '../outbound/askJson.ts'
import { OutboundError, type Outbound } from '../outbound/createOutbound.ts'
import type { Provider, ProviderClaims, ProviderTokens, ProviderUser } from '../Provider.ts'
import type { CustomProvider } from './customProvider.ts'
import { mapClaims } from './mapClaims.ts'

interface Uses {
  outbound: Outbound
  issuers: Issuers
}

/**
 * A provider that an administrator has created. Throws OutboundError if its issuer cannot be reached.
 * @param o.scopes scopes that replace the provider's own, separated by spaces
 */
export async function useCustomProvider(
  uses: Uses,
  row: CustomProvider,
  o: { redirectUri: string; scopes: string },
): Promise<Provider> {
  const isOidc = row.provider_type === 'oidc'
  const found = isOidc ? await discoverCustom(uses.issuers, row) : null
  const asked = o.scopes.split(/\s+/).filter((scope) => scope !== '')
  const scopes = asked.length > 0 ? asked : row.scopes
  const client: OAuth2Client = {
    authorizeUrl: found?.authorizationEndpoint ?? row.authorization_url ?? '',
    tokenUrl: found?.tokenEndpoint ?? row.token_url ?? '',
    clientId: row.client_id,
    clientSecret: row.client_secret,
    redirectUri: o.redirectUri,
    scopes: isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes,
    clientAuth: clientAuthOf(found),
    pkce: row.pkce_enabled,
    publicOnly: true,
  }
  const own = Object.entries(row.authorization_params).filter(([, value]) => typeof value === 'string')
  return {
    name: row.identifier,
    emailOptional: row.email_optional,
    issuer: found?.issuer ?? null,
    returnsWith: 'code',
    begin: async ({ state, params }) =>
      beginOAuth2(client, {
        state,
        params: { ...params, ...(Object.fromEntries(own) as Record<string, string>) },
      }),
    redeem: (returned, kept) => redeemOAuth2(uses.outbound, client, returned.get('code') ?? '', kept),
    async readUser(tokens) {
      if (isOidc && tokens.idToken !== null) {
        const token = await uses.issuers.verify(tokens.idToken, {
          ...issuerOptions(row),
          issuer: row.issuer!,
          audiences: [row.client_id, ...row.acceptable_client_ids],
        })
        return describe(row, token, readIdToken(token))
      }
      const userinfo = found ? found.userinfoEndpoint : (row.userinfo_url ?? '')
      if (userinfo === '') throw new OutboundError('there is neither an ID token nor a userinfo endpoint')
      return describe(row, await askUserinfo(uses.outbound, userinfo, tokens))
    },
  }
}

/** The discovery document of a custom provider. */
function discoverCustom(issuers: Issuers, row: CustomProvider): Promise<Discovery> {
  return issuers.discover(row.issuer!, issuerOptions(row))
}

/** How the issuer of a custom provider is fetched. */
export function issuerOptions(row: Pick<CustomProvider, 'discovery_url'>) {
  return { publicOnly: true, ...(row.discovery_url ? { discoveryUrl: row.discovery_url } : {}) }
}

/** HTTP Basic unless the document says otherwise (OpenID Connect Discovery §3). */
function clientAuthOf(found: Discovery | null): ClientAuth {
  if (!found) return 'auto'
  const offered = found.clientAuth
  return offered.length > 0 && !offered.includes('client_secret_basic') ? 'body' : 'auto'
}

async function askUserinfo(outbound: Outbound, url: string, tokens: ProviderTokens): Promise<unknown> {
  const headers = { Authorization: `Bearer ${tokens.accessToken}` }
  return askJson(outbound, url, { headers, publicOnly: true })
}

/** The user after the administrator's attribute mapping. */
function describe(row: CustomProvider, source: unknown, read?: ProviderUser): ProviderUser {
  const claims: ProviderClaims = read ? { ...read.claims } : readStandardClaims(source)
  const allowed = allowedClaims(row, source)
  if (allowed) claims.custom_claims = { ...claims.custom_claims, ...allowed }
  const mapped = mapClaims(claims, row.attribute_mapping, source)
  if (read) return { emails: read.emails, claims: mapped }
  const verified = mapped.email_verified === true
  return { emails: mapped.email ? [{ email: mapped.email, verified, primary: true }] : [], claims: mapped }
}

function allowedClaims(row: CustomProvider, source: unknown): Record<string, unknown> | null {
  if (typeof source !== 'object' || source === null) return null
  const said = source as Record<string, unknown>
  const names = row.custom_claims_allowlist.filter((name) => Object.hasOwn(said, name))
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, said[name]])) : null
}
