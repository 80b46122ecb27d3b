import { decodeJwt } from 'jose'
import type { ProviderSettings } from '../../settings/providerSettings.ts'
import { beginOAuth2, redeemOAuth2, type OAuth2Client } from '../oauth2.ts'
import type { Issuers, IssuerOptions } from '../oidc/createIssuers.ts'
import { azureTenantOf, isAzureCustomersIssuer, isAzureIssuer, issuers as own } from '../oidc/issuerNames.ts'
import { readIdToken } from '../oidc/readIdToken.ts'
import type { Provider, ProviderTokens, ProviderUser } from '../Provider.ts'
import type { Endpoints, FromApi, BuiltInProvider } from './BuiltInProvider.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import { type Outbound, fetchJson } from '../createOutbound.ts'

interface ProviderClients {
  outbound: Outbound
  issuers: Issuers
}

/**
 * A provider of builtInProviders with the settings of config.toml. Throws OutboundError if its discovery document
 * is needed and cannot be fetched.
 * @param o.redirectUri where it redirects to
 * @param o.scopes further scopes, separated by commas or spaces
 */
export async function createBuiltInProvider(
  clients: ProviderClients,
  definition: BuiltInProvider,
  o: { name: string; settings: ProviderSettings; redirectUri: string; scopes: string },
): Promise<Provider> {
  const { settings } = o
  const clientId = settings.clientIds[0] ?? ''
  const endpoints = definition.endpoints
    ? definition.endpoints((host) => settings.url || `https://${host}`)
    : await discoverEndpoints(clients.issuers, definition.issuer!)
  const client: OAuth2Client = {
    authorizeUrl: endpoints.authorize,
    tokenUrl: endpoints.token,
    clientId,
    clientSecret: settings.secret,
    redirectUri: o.redirectUri,
    scopes: [...definition.scopes, ...(definition.allowsScopes && o.scopes ? o.scopes.split(',') : [])],
    clientAuth: definition.clientAuth,
    pkce: definition.pkce,
    publicOnly: false,
  }
  return {
    name: o.name,
    emailOptional: settings.emailOptional,
    issuer: definition.endpoints ? null : definition.issuer,
    returnsWith: 'code',
    begin: async ({ state, params }) =>
      beginOAuth2(client, { state, params: { ...params, ...definition.params } }),
    redeem: (returned, secret) => redeemOAuth2(clients.outbound, client, returned.get('code') ?? '', secret),
    async readUser(tokens) {
      const { userSource } = definition
      if (userSource.kind === 'tokenResponse') return userSource.toUser(tokens, endpoints.api)
      const fetchUser = (api: FromApi) =>
        fetchUserFromApi(clients.outbound, api, { endpoints, tokens, clientId, settings })
      if (userSource.kind === 'api') return fetchUser(userSource)
      if (tokens.idToken === null && userSource.fallback) return fetchUser(userSource.fallback)
      return readToken(clients.issuers, definition, { tokens, clientId, url: settings.url })
    },
  }
}

async function discoverEndpoints(issuers: Issuers, issuer: string): Promise<Endpoints> {
  const found = await issuers.discover(issuer)
  return { authorize: found.authorizationEndpoint, token: found.tokenEndpoint, api: issuer }
}

async function fetchUserFromApi(
  outbound: Outbound,
  api: FromApi,
  o: { endpoints: Endpoints; tokens: ProviderTokens; clientId: string; settings: ProviderSettings },
): Promise<ProviderUser> {
  const token = o.tokens.accessToken
  const requests = api.requests({
    api: o.endpoints.api,
    token,
    clientId: o.clientId,
    secret: o.settings.secret,
  })
  const responses: unknown[] = []
  for (const { url, headers } of requests) {
    const requestHeaders = { Authorization: `Bearer ${token}`, ...headers }
    responses.push(await fetchJson(outbound, url, { headers: requestHeaders }))
  }
  return api.toUser(responses, o.endpoints.api)
}

async function readToken(
  issuers: Issuers,
  definition: BuiltInProvider,
  o: { tokens: ProviderTokens; clientId: string; url: string },
): Promise<ProviderUser> {
  const { idToken, accessToken } = o.tokens
  if (idToken === null) throw new OutboundError('the response contains no ID token')
  const issuer = definition.issuer ?? azureIssuerOf(idToken, o.url)
  const options = { issuer, audiences: [o.clientId], accessToken, ...aliasesOf(issuer) }
  return readIdToken(await issuers.verify(idToken, options))
}

/** Apple has two issuer names, and signs for both with the same keys. */
export function aliasesOf(issuer: string): Pick<IssuerOptions, 'aliases'> {
  if (issuer === own.apple) return { aliases: [own.appleAlias] }
  return issuer === own.appleAlias ? { aliases: [own.apple] } : {}
}

/**
 * The Microsoft tenant that a token names: the configured one, or any if none is configured. Other issuers are
 * rejected before their keys are fetched, otherwise an attacker's issuer could sign it.
 */
function azureIssuerOf(idToken: string, url: string): string {
  const named = decodeJwt(idToken).iss ?? ''
  const configured = url === '' ? null : azureTenantOf(url)
  if (configured !== null ? named === configured : isAzureIssuer(named)) return named
  // A configured URL outside of Microsoft's hosts only accepts itself.
  const isOtherHost = url !== '' && !isAzureIssuer(`${url}/v2.0`) && !isAzureCustomersIssuer(`${url}/v2.0`)
  if (isOtherHost && named === `${url}/v2.0`) return named
  throw new OutboundError(`the ID token's issuer "${named}" is not the configured one`)
}
