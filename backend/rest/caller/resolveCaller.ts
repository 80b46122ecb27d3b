import type { Caller, Claims, ServiceEnv, VerifyToken } from '../../../wire/claims.ts'
import { withNetwork } from '../../budgets/callerKey.ts'
import { errors } from '../errors.ts'
import { tokenError } from './tokenError.ts'

/** Returns the caller of the bearer token, else of the API key. Throws PGRST301 or PGRST303. */
export async function resolveCaller(
  { bearer, apiCaller }: ServiceEnv['Variables'],
  verifyToken: VerifyToken,
): Promise<Caller> {
  if (bearer === null) return apiCaller
  if (bearer === '') throw errors.tokenMalformed('Empty JWT is sent in Authorization header')
  const verified = await verifyToken(bearer)
  if (!verified.ok) throw tokenError(verified.fault, bearer)
  checkClaims(verified.caller.claims)
  return withNetwork(verified.caller, apiCaller)
}

/** Allowed clock skew. */
const SKEW_SECONDS = 30

/** Checks `iat` and `aud` like upstream. Throws PGRST303. */
export function checkClaims({ iat, aud }: Claims): void {
  if (typeof iat === 'number' && iat > Date.now() / 1000 + SKEW_SECONDS) {
    throw errors.tokenClaims('JWT issued at future')
  }
  if (typeof aud === 'string' || aud === undefined || aud === null) return
  if (!Array.isArray(aud) || aud.some((name) => typeof name !== 'string')) {
    throw errors.tokenClaims("The JWT 'aud' claim must be a string or an array of strings")
  }
}
