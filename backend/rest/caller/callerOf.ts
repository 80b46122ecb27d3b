import type { Caller, ServiceEnv, VerifyToken } from '../../../wire/claims.ts'
import { withNetwork } from '../../budgets/callerKey.ts'
import { errors } from '../errors.ts'
import { checkClaims } from './checkClaims.ts'
import { refusedToken } from './refusedToken.ts'

/** The caller whom the bearer token stands for, else the API key's. Throws PGRST301 or PGRST303. */
export async function callerOf(
  { bearer, apiCaller }: ServiceEnv['Variables'],
  verifyToken: VerifyToken,
): Promise<Caller> {
  if (bearer === null) return apiCaller
  if (bearer === '') throw errors.tokenMalformed('Empty JWT is sent in Authorization header')
  const verified = await verifyToken(bearer)
  if (!verified.ok) throw refusedToken(verified.fault, bearer)
  checkClaims(verified.caller.claims)
  return withNetwork(verified.caller, apiCaller)
}
