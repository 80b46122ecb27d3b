import type { TokenFault } from '../../wire/claims.ts'
import { errors } from './errors.ts'
import type { RestError } from './errors.ts'

/** What a token that was not accepted is answered with: PGRST301 for what it is, PGRST303 for what it claims. */
export function refusedToken(fault: TokenFault, token: string): RestError {
  switch (fault) {
    case 'expired':
      return errors.tokenClaims('JWT expired')
    case 'not-yet-valid':
      return errors.tokenClaims('JWT not yet valid')
    case 'audience':
      return errors.tokenClaims('JWT not in audience')
    case 'signature':
      return isUnsecured(token)
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
      return errors.tokenMalformed(
        parts === 3 ? 'JWT cryptographic operation failed' : `Expected 3 parts in JWT; got ${parts}`,
      )
    }
  }
}

function isUnsecured(token: string): boolean {
  try {
    const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { alg?: unknown }
    return header.alg === 'none'
  } catch {
    return false
  }
}
