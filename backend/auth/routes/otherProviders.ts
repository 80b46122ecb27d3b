import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError, type AuthErrorCode } from '../asking/AuthError.ts'
import { requireAdmin, requireUser } from '../asking/callers.ts'
import { readBody } from '../asking/readBody.ts'

const factorRefusals: Record<string, [AuthErrorCode, string]> = {
  totp: ['mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP'],
  phone: ['mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'],
  webauthn: ['mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn'],
}

/** Ways of signing in that are off: each is refused as hosted refuses what a project has not switched on. */
export function addOtherProviders(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  const refuse = (status: number, code: AuthErrorCode, message: string) => () => {
    throw new AuthError(status, code, message)
  }
  app.get('/authorize', refuse(400, 'validation_failed', 'Unsupported provider: provider is not enabled'))
  app.on(
    ['GET', 'POST'],
    '/callback',
    refuse(400, 'bad_oauth_callback', 'OAuth callback with missing state: no provider is enabled'),
  )

  app.post('/factors', async (c) => {
    const { user } = await requireUser(ctx, c)
    if (user.is_anonymous) {
      throw new AuthError(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
    }
    const { factor_type: type } = await readBody(c, { factor_type: 'string' })
    const refusal = type && Object.hasOwn(factorRefusals, type) ? factorRefusals[type] : undefined
    if (!refusal) {
      const message = 'factor_type needs to be totp, phone, or webauthn'
      throw new AuthError(400, 'validation_failed', message)
    }
    throw new AuthError(422, refusal[0], refusal[1])
  })
  app.all('/factors/*', async (c) => {
    await requireUser(ctx, c)
    throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  })

  app.all('/user/identities/*', async (c) => {
    await requireUser(ctx, c)
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  })
  const saml = refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  app.all('/sso', saml)
  app.all('/sso/*', saml)
  const passkeys = refuse(404, 'passkey_disabled', 'Passkeys are disabled')
  app.all('/passkeys', passkeys)
  app.all('/passkeys/*', passkeys)

  app.all('/admin/*', async (c) => {
    await requireAdmin(ctx, c)
    throw new AuthError(501, 'not_implemented', `This home does not serve ${c.req.method} ${c.req.path} yet.`)
  })
}
