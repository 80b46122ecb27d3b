import type { TokenFault } from '../../../wire/claims.ts'
import { errors } from '../errors.ts'
import type { RestError } from '../errors.ts'

/** What a token that was not accepted is answered with: PGRST301 for what it is, PGRST303 for what it claims. */
export function refusedToken(fault: TokenFault, token: string): RestError {
  const [header, payload] = token.split('.', 2).map(partOf)
  switch (fault) {
    case 'expired':
      return errors.tokenClaims('JWT expired')
    case 'not-yet-valid':
      return mistyped(payload) ?? errors.tokenClaims('JWT not yet valid')
    case 'audience':
      return errors.tokenClaims('JWT not in audience')
    case 'signature':
      return header?.alg === 'none'
        ? errors.tokenMalformed(
            'Wrong or unsupported encoding algorithm',
            "JWT is unsecured but expected 'alg' was not 'none'",
          )
        : errors.tokenMalformed(
            'No suitable key or wrong key type',
            'None of the keys was able to decode the JWT',
          )
    case 'malformed': {
      const parts = token.split('.').length
      if (parts !== 3) return errors.tokenMalformed(`Expected 3 parts in JWT; got ${parts}`)
      return mistyped(payload) ?? errors.tokenMalformed('JWT cryptographic operation failed')
    }
  }
}

/** A claim of a time that is none. */
function mistyped(claims: Record<string, unknown> | null | undefined): RestError | null {
  const name = ['exp', 'nbf', 'iat'].find((name) => !['number', 'undefined'].includes(typeof claims?.[name]))
  return name === undefined ? null : errors.tokenClaims(`The JWT '${name}' claim must be a number`)
}

/** Header or payload of a token, not verified; null where it is no JSON object. */
function partOf(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
