import type { AuthContext, CallerContext } from '../AuthContext.ts'
import { AuthError } from './AuthError.ts'
import { requireAdmin, type AuthRequest } from './authenticate.ts'
import { clientAddress } from './clientAddress.ts'
import { readBody } from './readBody.ts'

/**
 * Rejects requests without a solved captcha, unless they carry a service key or no captcha is configured. The
 * token is in the body: `gotrue_meta_security.captcha_token`.
 * @throws AuthError 400 captcha_failed, bad_json; 500 if the provider cannot be reached
 */
export async function requireCaptcha(
  ctx: CallerContext & Pick<AuthContext, 'captcha'>,
  c: AuthRequest,
): Promise<void> {
  if (ctx.captcha === null || (await isAdmin(ctx, c))) return
  const { gotrue_meta_security: meta } = await readBody(c, { gotrue_meta_security: 'object' })
  const value = meta?.['captcha_token'] ?? ''
  if (typeof value !== 'string') {
    const message = 'Could not parse request body as JSON: field captcha_token must be of type string'
    throw new AuthError(400, 'bad_json', message)
  }
  const token = value.trim()
  if (token === '') {
    const message = 'captcha protection: request disallowed (no captcha_token found)'
    throw new AuthError(400, 'captcha_failed', message)
  }
  await ctx.captcha.check(token, clientAddress(c))
}

async function isAdmin(ctx: CallerContext, c: AuthRequest): Promise<boolean> {
  try {
    await requireAdmin(ctx, c)
    return true
  } catch (error) {
    if (error instanceof AuthError) return false
    throw error
  }
}
