import { createHash, randomBytes } from 'node:crypto'
import type { ProviderTokens } from './Provider.ts'
import { textAt } from './readFields.ts'
import { OutboundError } from '../../runtime/outbound/sendOutbound.ts'
import type { Outbound } from './createOutbound.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** How a client authenticates at a token endpoint (RFC 6749 §2.3.1); `auto` tries the first, then the other. */
export type ClientAuth = 'basic' | 'body' | 'auto'

/** A client of one OAuth 2 server. */
export interface OAuth2Client {
  authorizeUrl: string
  tokenUrl: string
  clientId: string
  clientSecret: string
  redirectUri: string
  scopes: string[]
  clientAuth: ClientAuth
  /** Whether PKCE is used (RFC 7636). */
  pkce: boolean
  publicOnly: boolean
}

/**
 * The URL to redirect to, and the verifier to store. Throws OutboundError if the authorization endpoint is not
 * an http or https URL: a page would run a javascript URL.
 */
export function beginOAuth2(
  client: OAuth2Client,
  o: { state: string; params: Record<string, string> },
): { url: string; secret: string | null } {
  const verifier = client.pkce ? randomBytes(32).toString('base64url') : null
  const url = parseUrl(client.authorizeUrl)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new OutboundError('the authorization endpoint is not an http or https URL')
  }
  const requiredParams = {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    state: o.state,
    ...(verifier === null
      ? {}
      : {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
  }
  const scope = client.scopes.length > 0 ? { scope: client.scopes.join(' ') } : {}
  for (const [name, value] of Object.entries({ ...scope, ...o.params, ...requiredParams }))
    url.searchParams.set(name, value)
  url.searchParams.sort()
  // Some servers do not decode a plus as a space.
  url.search = url.search.replaceAll('+', '%20')
  return { url: url.href, secret: verifier }
}

/** Exchanges a code for tokens (RFC 6749 §4.1.3). Throws OutboundError. */
export async function redeemOAuth2(
  outbound: Outbound,
  client: OAuth2Client,
  code: string,
  verifier: string | null,
): Promise<ProviderTokens> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    ...(verifier === null ? {} : { code_verifier: verifier }),
  }
  const methods: ClientAuth[] = client.clientAuth === 'auto' ? ['basic', 'body'] : [client.clientAuth]
  let status = 0
  for (const method of methods) {
    const response = await outbound.send(client.tokenUrl, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(method === 'basic' ? { Authorization: basic(client) } : {}),
      },
      body: new URLSearchParams({
        ...form,
        ...(method === 'basic' ? {} : { client_id: client.clientId, client_secret: client.clientSecret }),
      }).toString(),
      publicOnly: client.publicOnly,
    })
    status = response.status
    if (status >= 200 && status <= 299) return readTokens(client, response)
  }
  throw new OutboundError(`${new URL(client.tokenUrl).host} responded to a code with status ${status}`)
}

/** RFC 6749 requires that both are form-encoded before they are joined. */
function basic(client: OAuth2Client): string {
  const encode = (value: string) => new URLSearchParams({ v: value }).toString().slice(2)
  const pair = `${encode(client.clientId)}:${encode(client.clientSecret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function readTokens(client: OAuth2Client, response: { contentType: string; text: string }): ProviderTokens {
  const { host } = new URL(client.tokenUrl)
  let fields: Record<string, unknown>
  try {
    const isForm = /^(application\/x-www-form-urlencoded|text\/plain)\b/.test(response.contentType)
    fields = isForm
      ? Object.fromEntries(new URLSearchParams(response.text))
      : asObject(JSON.parse(response.text))
  } catch (error) {
    throw new OutboundError(`${host} returned an invalid token response`, { cause: error })
  }
  const accessToken = textAt(fields, 'access_token')
  // Some providers return errors with status 200.
  if (accessToken === '') throw new OutboundError(`${host} returned no access token`)
  return {
    accessToken,
    refreshToken: textAt(fields, 'refresh_token'),
    idToken: textAt(fields, 'id_token') || null,
    response: fields,
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('no object')
  return value as Record<string, unknown>
}
