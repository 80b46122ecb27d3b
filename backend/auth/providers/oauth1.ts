import { createHmac, randomBytes } from 'node:crypto'
import { OutboundError } from '../../runtime/outbound/sendOutbound.ts'
import type { Outbound } from './createOutbound.ts'

/**
 * What signs a request: the application's key pair and, once there is one, a token with its secret (RFC 5849).
 */
export interface OAuth1Keys {
  key: string
  secret: string
  token?: string
  tokenSecret?: string
}

/** Percent-encoding of RFC 5849 §3.6, which encodes more characters than encodeURIComponent. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The Authorization header of a request without a body, signed by HMAC-SHA1 (RFC 5849 §3.4). */
export function signOAuth1(
  o: { method: string; url: string; keys: OAuth1Keys; protocolParams?: Record<string, string> },
  nonce: string = randomBytes(16).toString('hex'),
  seconds: number = Math.floor(Date.now() / 1000),
): string {
  const { keys, protocolParams = {} } = o
  const url = new URL(o.url)
  const protocol: Record<string, string> = {
    oauth_consumer_key: keys.key,
    oauth_nonce: nonce,
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(seconds),
    oauth_version: '1.0',
    ...(keys.token ? { oauth_token: keys.token } : {}),
    ...protocolParams,
  }
  const pairs = [...Object.entries(protocol), ...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
  const base = [o.method, `${url.origin}${url.pathname}`, pairs.join('&')].map(encode).join('&')
  const key = `${encode(keys.secret)}&${encode(keys.tokenSecret ?? '')}`
  const signature = createHmac('sha1', key).update(base).digest('base64')
  const fields = Object.entries({ ...protocol, oauth_signature: signature })
  return `OAuth ${fields.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(', ')}`
}

/** Fetches a token and its secret from one of the two token endpoints. Throws OutboundError. */
export async function fetchOAuth1Token(
  outbound: Outbound,
  url: string,
  keys: OAuth1Keys,
  protocolParams: Record<string, string>,
): Promise<{ token: string; secret: string }> {
  const response = await outbound.send(url, {
    method: 'POST',
    headers: { Authorization: signOAuth1({ method: 'POST', url, keys, protocolParams }) },
  })
  const form = new URLSearchParams(response.text)
  const [token, secret] = [form.get('oauth_token'), form.get('oauth_token_secret')]
  if (response.status !== 200 || !token || !secret) {
    throw new OutboundError(`${new URL(url).host} returned no token (status ${response.status})`)
  }
  return { token, secret }
}
