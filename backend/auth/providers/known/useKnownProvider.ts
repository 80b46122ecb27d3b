import { decodeJwt } from 'jose'
import type { ProviderSettings } from '../../settings/providerSettings.ts'
import { beginOAuth2, redeemOAuth2, type OAuth2Client } from '../oauth2.ts'
import type { Issuers, IssuerOptions } from '../oidc/createIssuers.ts'
import { azureTenantOf, isAzureCustomersIssuer, isAzureIssuer, issuers as own } from '../oidc/issuerNames.ts'
import { readIdToken } from '../oidc/readIdToken.ts'
import { askJson } from '../outbound/askJson.ts'
import { OutboundError, type Outbound } from '../outbound/createOutbound.ts'
import type { Provider, ProviderTokens, ProviderUser } from '../Provider.ts'
import type { Endpoints, FromApi, KnownProvider } from './KnownProvider.ts'

interface Uses {
  outbound: Outbound
  issuers: Issuers
}

/**
 * A provider of knownProviders with the settings of config.toml. Throws OutboundError if its discovery document
 * is needed and cannot be fetched.
 * @param o.redirectUri where it redirects to
 * @param o.scopes further scopes, separated by commas or spaces
 */
export async function useKnownProvider(
  uses: Uses,
  known: KnownProvider,
  o: { name: string; settings: ProviderSettings; redirectUri: string; scopes: string },
): Promise<Provider> {
  const { settings } = o
  const clientId = settings.clientIds[0] ?? ''
  const endpoints = known.endpoints
    ? known.endpoints((host) => settings.url || `https://${host}`)
    : await discoverEndpoints(uses.issuers, known.issuer!)
  const client: OAuth2Client = {
    authorizeUrl: endpoints.authorize,
    tokenUrl: endpoints.token,
    clientId,
    clientSecret: settings.secret,
    redirectUri: o.redirectUri,
    scopes: [...known.scopes, ...(known.moreScopes && o.scopes ? o.scopes.split(',') : [])],
    clientAuth: known.clientAuth,
    pkce: known.pkce,
    publicOnly: false,
  }
  return {
    name: o.name,
    emailOptional: settings.emailOptional,
    issuer: known.endpoints ? null : known.issuer,
    returnsWith: 'code',
    begin: async ({ state, params }) =>
      beginOAuth2(client, { state, params: { ...params, ...known.params } }),
    redeem: (returned, kept) => redeemOAuth2(uses.outbound, client, returned.get('code') ?? '', kept),
    async readUser(tokens) {
      const { reads } = known
      if (reads.from === 'answer') return reads.toUser(tokens, endpoints.api)
      const ask = (api: FromApi) => askApi(uses.outbound, api, { endpoints, tokens, clientId, settings })
      if (reads.from === 'api') return ask(reads)
      if (tokens.idToken === null && reads.instead) return ask(reads.instead)
      return readToken(uses.issuers, known, { tokens, clientId, url: settings.url })
    },
  }
}

async function discoverEndpoints(issuers: Issuers, issuer: string): Promise<Endpoints> {
  const found = await issuers.discover(issuer)
  return { authorize: found.authorizationEndpoint, token: found.tokenEndpoint, api: issuer }
}

async function askApi(
  outbound: Outbound,
  api: FromApi,
  o: { endpoints: Endpoints; tokens: ProviderTokens; clientId: string; settings: ProviderSettings },
): Promise<ProviderUser> {
  const token = o.tokens.accessToken
  const asked = api.ask({ api: o.endpoints.api, token, clientId: o.clientId, secret: o.settings.secret })
  const answers: unknown[] = []
  for (const { url, headers } of asked) {
    const sent = { Authorization: `Bearer ${token}`, ...headers }
    answers.push(await askJson(outbound, url, { headers: sent }))
  }
  return api.toUser(answers, o.endpoints.api)
}

async function readToken(
  issuers: Issuers,
  known: KnownProvider,
  o: { tokens: ProviderTokens; clientId: string; url: string },
): Promise<ProviderUser> {
  const { idToken, accessToken } = o.tokens
  if (idToken === null) throw new OutboundError('the answer holds no ID token')
  const issuer = known.issuer ?? azureIssuerOf(idToken, o.url)
  const options = { issuer, audiences: [o.clientId], accessToken, ...aliasesOf(issuer) }
  return readIdToken(await issuers.verify(idToken, options))
}

/** Apple has two issuer names, and signs for both with the same keys. */
export function aliasesOf(issuer: string): Pick<IssuerOptions, 'aliases'> {
  if (issuer === own.apple) return { aliases: [own.appleToo] }
  return issuer === own.appleToo ? { aliases: [own.apple] } : {}
}

/**
 * The Microsoft tenant that a token names: the configured one, or any if none is configured. Other issuers are
 * rejected before their keys are fetched, otherwise an attacker's issuer could sign it.
 */
function azureIssuerOf(idToken: string, url: string): string {
  const named = decodeJwt(idToken).iss ?? ''
  const wanted = url === '' ? null : azureTenantOf(url)
  if (wanted !== null ? named === wanted : isAzureIssuer(named)) return named
  // A configured URL outside of Microsoft's hosts only accepts itself.
  const elsewhere = url !== '' && !isAzureIssuer(`${url}/v2.0`) && !isAzureCustomersIssuer(`${url}/v2.0`)
  if (elsewhere && named === `${url}/v2.0`) return named
  throw new OutboundError(`the ID token's issuer "${named}" is not the configured one`)
}
