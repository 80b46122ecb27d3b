import { hideAccountExistence, withMessageLimits } from '../accounts/withMessageLimits.ts'
import { releaseUnverifiedEmail } from '../accounts/releaseUnverifiedEmail.ts'
import { validateEmail } from '../accounts/validateEmail.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { invalid } from '../http/AuthError.ts'
import { readClientInfo, readRedirectUrl } from '../http/authenticate.ts'
import { readBody } from '../http/readBody.ts'
import { requireCaptcha } from '../http/requireCaptcha.ts'
import { requireMailedCodes } from '../http/requireMethod.ts'
import { writeAudit } from '../audit.ts'
import { mailUser } from '../mail/mailUser.ts'
import { findUserByEmail, lockUser } from '../rows/findUser.ts'
import { type Challenge, challengeFields, parseChallenge, storeFlow } from '../rows/flowState.ts'
import { transact } from '../transact.ts'

/** POST /recover: sends a mail with which a user who forgot their password can sign in. */
export function addRecover(app: AuthApp, ctx: AuthContext): void {
  app.post('/recover', async (c) => {
    const { ip } = readClientInfo(c)
    ctx.limits.count('recover', ip)
    await requireCaptcha(ctx, c)
    requireMailedCodes(ctx.settings, 400)
    const body = await readBody(c, {
      email: 'string',
      ...challengeFields,
    })
    if (!body.email) throw invalid('Password recovery requires an email')
    const email = validateEmail(body.email)
    const challenge = parseChallenge(body)
    const redirectTo = readRedirectUrl(ctx, c)
    await withMessageLimits(ctx, { provider: 'email', email }, () =>
      hideAccountExistence(ctx, 'email', () => mailRecovery(ctx, { email, challenge, redirectTo, ip })),
    )
    return c.json({})
  })
}

function mailRecovery(
  ctx: AuthContext,
  {
    email,
    challenge,
    redirectTo,
    ip,
  }: { email: string; challenge: Challenge | null; redirectTo: string; ip: string },
): Promise<void> {
  return transact(ctx, async (tx) => {
    const found = await findUserByEmail(tx, email)
    const locked = found && (await lockUser(tx, found.id))
    const user = locked && (await releaseUnverifiedEmail(tx, locked))
    if (!user) return
    if (challenge) {
      await storeFlow(tx, { userId: user.id, challenge, method: 'recovery', provider: 'recovery' })
    }
    await writeAudit(tx, user, 'user_recovery_requested', ip)
    const pkce = challenge !== null
    await mailUser(ctx, tx, {
      mail: 'recovery',
      user,
      pkce,
      areLimitsChecked: true,
      redirectTo,
      ip,
    })
  })
}
