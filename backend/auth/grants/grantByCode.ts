import type { SignInContext } from '../AuthContext.ts'
import { AuthError, invalid } from '../http/AuthError.ts'
import { rejectBannedUser, readClientInfo, type AuthRequest } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { writeAudit } from '../audit.ts'
import { findUserById } from '../rows/findUser.ts'
import { redeemFlowCode } from '../rows/flowState.ts'
import { type UserRow } from '../rows/user.ts'
import { issueSession, type SessionResponse } from '../sessions/sessions.ts'
import { transact } from '../transact.ts'

/**
 * `grant_type=pkce`: exchanges the code from the redirect after a link or provider sign-in, and its verifier
 * (RFC 7636).
 */
export async function grantByCode(ctx: SignInContext, c: AuthRequest): Promise<SessionResponse> {
  const body = await readBody(c, { auth_code: 'string', code_verifier: 'string' })
  if (!body.auth_code || !body.code_verifier) {
    throw invalid('invalid request: both auth code and code verifier should be non-empty')
  }
  const { auth_code: code, code_verifier: verifier } = body
  const clientInfo = readClientInfo(c)
  return transact(ctx, async (tx) => {
    const flow = await redeemFlowCode(tx, code, verifier)
    const user: UserRow | null = await findUserById(tx, flow.userId)
    if (!user)
      throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    rejectBannedUser(user)
    await writeAudit(tx, user, 'login', clientInfo.ip, { provider_type: flow.provider })
    const session = await issueSession(ctx, tx, { user, method: flow.method, clientInfo })
    return {
      ...session,
      ...(flow.providerToken ? { provider_token: flow.providerToken } : {}),
      ...(flow.providerRefreshToken ? { provider_refresh_token: flow.providerRefreshToken } : {}),
    }
  })
}
