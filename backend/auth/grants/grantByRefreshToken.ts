import type { SignInContext } from '../AuthContext.ts'
import { readClientInfo, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { refreshSession } from '../sessions/refreshSession.ts'
import type { SessionResponse } from '../sessions/sessions.ts'

/** `grant_type=refresh_token`: exchanges a refresh token for the next tokens of its session. */
export async function grantByRefreshToken(ctx: SignInContext, c: AuthRequest): Promise<SessionResponse> {
  const body = await readBody(c, { refresh_token: 'string' })
  return refreshSession(ctx, body.refresh_token ?? '', readClientInfo(c))
}
