import type { TokenFault } from '../../../wire/claims.ts'
import { errors } from '../errors.ts'
import type { RestError } from '../errors.ts'

/** The error for an invalid token: PGRST301 for its form or signature, PGRST303 for its claims. */
export function tokenError(fault: TokenFault, token: string): RestError {
  const [header, payload] = token.split('.', 2).map(decodePart)
  switch (fault) {
    case 'expired':
      return errors.tokenClaims('JWT expired')
    case 'not-yet-valid':
      return nonNumericTimeError(payload) ?? errors.tokenClaims('JWT not yet valid')
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
      return nonNumericTimeError(payload) ?? errors.tokenMalformed('JWT cryptographic operation failed')
    }
  }
}

/** The error for a time claim that is not a number; null if there is none. */
function nonNumericTimeError(claims: Record<string, unknown> | null | undefined): RestError | null {
  const name = ['exp', 'nbf', 'iat'].find((name) => !['number', 'undefined'].includes(typeof claims?.[name]))
  return name === undefined ? null : errors.tokenClaims(`The JWT '${name}' claim must be a number`)
}

/** Decodes the header or payload of a token without verification; null if it is not a JSON object. */
function decodePart(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
