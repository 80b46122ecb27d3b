import { createHmac, createPublicKey, type KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'

/** Signs tokens as an issuer does, and as those who would like to be one do. */
interface Signer {
  sign(claims: Record<string, unknown>): Promise<string>
  /** With the algorithm "none". */
  unsigned(claims: Record<string, unknown>): Promise<string>
  /** With HS256 and the published key for a secret. */
  withPublicKeyAsSecret(claims: Record<string, unknown>): Promise<string>
  /** @param asSecret published as a shared secret */
  keys(asSecret: boolean): JWK[]
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** @param alg ES256 by default, since RS256 keys take longer to generate */
export async function createSigner(alg: 'ES256' | 'RS256' = 'ES256'): Promise<Signer> {
  const kid = crypto.randomUUID()
  const { privateKey, publicKey } = (await generateKeyPair(alg)) as {
    privateKey: CryptoKey
    publicKey: CryptoKey
  }
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  const pem = (createPublicKey({ key: jwk, format: 'jwk' } as never) as KeyObject).export({
    type: 'spki',
    format: 'pem',
  })
  return {
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey),
    unsigned: async (claims) => `${encode({ alg: 'none', kid })}.${encode(claims)}.`,
    async withPublicKeyAsSecret(claims) {
      const signed = `${encode({ alg: 'HS256', kid })}.${encode(claims)}`
      return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
    },
    keys: (asSecret) =>
      asSecret ? [{ kty: 'oct', k: Buffer.from(pem).toString('base64url'), kid, alg: 'HS256' }] : [jwk],
  }
}
