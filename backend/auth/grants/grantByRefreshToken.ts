import type { AuthContext } from '../AuthContext.ts'
import { originOf, type AuthRequest } from '../http/callers.ts'
import { readBody } from '../http/readBody.ts'
import { refreshSession } from '../sessions/refreshSession.ts'
import type { SessionAnswer } from '../sessions/sessions.ts'

/** `grant_type=refresh_token`: exchanges a refresh token for the next tokens of its session. */
export async function grantByRefreshToken(ctx: AuthContext, c: AuthRequest): Promise<SessionAnswer> {
  const body = await readBody(c, { refresh_token: 'string' })
  return refreshSession(ctx, body.refresh_token ?? '', originOf(c))
}
