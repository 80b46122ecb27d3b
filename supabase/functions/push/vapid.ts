import type { webcrypto } from 'node:crypto'
import { encodeBase64url } from './base64url.ts'

/** The key pair that identifies this server to push services (RFC 8292). */
export interface VapidKeys {
  /** An uncompressed point of P-256, base64url; browsers get it when they subscribe. */
  public: string
  private: webcrypto.JsonWebKey
}

export async function createVapidKeys(): Promise<VapidKeys> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  return {
    public: encodeBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))),
    private: { kty, crv, x, y, d } as webcrypto.JsonWebKey,
  }
}

/** Push services refuse more than 24 hours; the clock of one may differ. */
const tokenSeconds = 12 * 3600

/**
 * Returns a function that gives the `Authorization` header for an endpoint. Tokens are signed once for each push service.
 * @param contact a `mailto:` or `https:` address by which the operator of a push service reaches that of this server
 */
export function createVapidSigner(keys: VapidKeys, contact: string): (endpoint: string) => Promise<string> {
  const headers = new Map<string, Promise<string>>()
  const sign = async (audience: string): Promise<string> => {
    const claims = {
      aud: audience,
      exp: Math.floor(Date.now() / 1000) + tokenSeconds,
      sub: contact,
    }
    const content = [{ typ: 'JWT', alg: 'ES256' }, claims]
      .map((part) => encodeBase64url(new TextEncoder().encode(JSON.stringify(part))))
      .join('.')
    const key = await crypto.subtle.importKey(
      'jwk',
      keys.private,
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign'],
    )
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      key,
      new TextEncoder().encode(content),
    )
    return `vapid t=${content}.${encodeBase64url(new Uint8Array(signature))}, k=${keys.public}`
  }
  return (endpoint) => {
    const { origin } = new URL(endpoint)
    const header = headers.get(origin) ?? sign(origin)
    headers.set(origin, header)
    return header
  }
}
