import type { Claims } from '../../../wire/claims.ts'
import { errors } from '../errors.ts'

/** Clocks differ by this much. */
const SKEW_SECONDS = 30

/** What upstream asks of a token beyond signature, `exp` and `nbf`. Throws PGRST303. */
export function checkClaims({ iat, aud }: Claims): void {
  if (typeof iat === 'number' && iat > Date.now() / 1000 + SKEW_SECONDS) {
    throw errors.tokenClaims('JWT issued at future')
  }
  if (typeof aud === 'string' || aud === undefined || aud === null) return
  if (!Array.isArray(aud) || aud.some((name) => typeof name !== 'string')) {
    throw errors.tokenClaims("The JWT 'aud' claim must be a string or an array of strings")
  }
}
