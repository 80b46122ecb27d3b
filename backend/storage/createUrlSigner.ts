import { createHmac } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { errors } from './errors.ts'

export type SignedScope = 'download' | 'upload'

export interface SignedClaims {
  /** `<bucket>/<name>`, the only object that the link gives access to. */
  url: string
  scope: SignedScope
  /** Only for downloads of a transformed image: the transformation in the format of `formatTransform`, and "origin". */
  transformations?: string
  format?: string
  /** Only for uploads: the owner of the object, and whether it may replace another. */
  owner?: string
  upsert?: boolean
}

export interface UrlSigner {
  /** A token for `seconds`. */
  sign(claims: SignedClaims, seconds: number): Promise<string>
  /** The claims of a token for this object and purpose; throws InvalidJWT or InvalidSignature. */
  verify(token: string, url: string, scope: SignedScope): Promise<SignedClaims & { exp: number }>
}

/**
 * Signs links to single objects (HS256). The key is derived from the installation's secret, so that
 * a link is never accepted as an access token, nor an access token as a link.
 */
export function createUrlSigner(secret: string): UrlSigner {
  const key = createHmac('sha256', secret).update('linnet: links to stored objects').digest()
  return {
    sign: (claims, seconds) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(key),
    async verify(token, url, scope) {
      const claims = await jwtVerify<SignedClaims & { exp: number }>(token, key, {
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
      }).then(
        ({ payload }) => payload,
        (error: Error) => {
          throw errors.invalidToken(error.message)
        },
      )
      if (claims.scope !== scope) throw errors.invalidSignature(`Token is not scoped for ${scope}`)
      if (claims.url !== url) throw errors.invalidSignature()
      return claims
    },
  }
}
