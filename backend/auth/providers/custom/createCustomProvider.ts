import { beginOAuth2, redeemOAuth2, type ClientAuth, type OAuth2Client } from '../oauth2.ts'
import type { Discovery, Issuers } from '../oidc/createIssuers.ts'
import { readIdToken } from '../oidc/readIdToken.ts'
import { readStandardClaims } from '../oidc/readStandardClaims.ts'
import type { Provider, ProviderClaims, ProviderTokens, ProviderUser } from '../Provider.ts'
import type { CustomProvider } from './customProvider.ts'
import { mapClaims } from './mapClaims.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import { type Outbound, fetchJson } from '../createOutbound.ts'

interface ProviderClients {
  outbound: Outbound
  issuers: Issuers
}

/**
 * A provider that an administrator has created. Throws OutboundError if its issuer cannot be reached.
 * @param o.scopes scopes that replace the provider's own, separated by spaces
 */
export async function createCustomProvider(
  clients: ProviderClients,
  row: CustomProvider,
  o: { redirectUri: string; scopes: string },
): Promise<Provider> {
  const isOidc = row.provider_type === 'oidc'
  const discovery = isOidc ? await discoverCustom(clients.issuers, row) : null
  const requestedScopes = o.scopes.split(/\s+/).filter((scope) => scope !== '')
  const scopes = requestedScopes.length > 0 ? requestedScopes : row.scopes
  const client: OAuth2Client = {
    authorizeUrl: discovery?.authorizationEndpoint ?? row.authorization_url ?? '',
    tokenUrl: discovery?.tokenEndpoint ?? row.token_url ?? '',
    clientId: row.client_id,
    clientSecret: row.client_secret,
    redirectUri: o.redirectUri,
    scopes: isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes,
    clientAuth: clientAuthOf(discovery),
    pkce: row.pkce_enabled,
    publicOnly: true,
  }
  const configuredParams = Object.entries(row.authorization_params).filter(
    ([, value]) => typeof value === 'string',
  )
  return {
    name: row.identifier,
    emailOptional: row.email_optional,
    issuer: discovery?.issuer ?? null,
    returnsWith: 'code',
    begin: async ({ state, params }) =>
      beginOAuth2(client, {
        state,
        params: { ...params, ...(Object.fromEntries(configuredParams) as Record<string, string>) },
      }),
    redeem: (returned, secret) => redeemOAuth2(clients.outbound, client, returned.get('code') ?? '', secret),
    async readUser(tokens) {
      if (isOidc && tokens.idToken !== null) {
        const token = await clients.issuers.verify(tokens.idToken, {
          ...issuerOptions(row),
          issuer: row.issuer!,
          audiences: [row.client_id, ...row.acceptable_client_ids],
        })
        return toProviderUser(row, token, readIdToken(token))
      }
      const userinfo = discovery ? discovery.userinfoEndpoint : (row.userinfo_url ?? '')
      if (userinfo === '') throw new OutboundError('there is neither an ID token nor a userinfo endpoint')
      return toProviderUser(row, await fetchUserinfo(clients.outbound, userinfo, tokens))
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

/** HTTP Basic unless the document states otherwise (OpenID Connect Discovery §3). */
function clientAuthOf(discovery: Discovery | null): ClientAuth {
  if (!discovery) return 'auto'
  const offered = discovery.clientAuth
  return offered.length > 0 && !offered.includes('client_secret_basic') ? 'body' : 'auto'
}

async function fetchUserinfo(outbound: Outbound, url: string, tokens: ProviderTokens): Promise<unknown> {
  const headers = { Authorization: `Bearer ${tokens.accessToken}` }
  return fetchJson(outbound, url, { headers, publicOnly: true })
}

/** The user after the administrator's attribute mapping. */
function toProviderUser(row: CustomProvider, source: unknown, read?: ProviderUser): ProviderUser {
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
  const fields = source as Record<string, unknown>
  const names = row.custom_claims_allowlist.filter((name) => Object.hasOwn(fields, name))
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, fields[name]])) : null
}
