import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from './AuthError.ts'
import { requireAdmin, type AuthRequest } from './callers.ts'
import { clientAddress } from './clientAddress.ts'
import { readBody } from './readBody.ts'

/**
 * Lets those through whose captcha was solved, and service keys without one; everybody, where the configuration
 * asks for none. The token stands in the body: `gotrue_meta_security.captcha_token`.
 * @throws AuthError 400 captcha_failed, bad_json; 500 where the provider can't be asked
 */
export async function requireCaptcha(ctx: AuthContext, c: AuthRequest): Promise<void> {
  if (ctx.captcha === null || (await isAdmin(ctx, c))) return
  const { gotrue_meta_security: meta } = await readBody(c, { gotrue_meta_security: 'object' })
  const written = meta?.['captcha_token'] ?? ''
  if (typeof written !== 'string') {
    const message = 'Could not parse request body as JSON: field captcha_token must be of type string'
    throw new AuthError(400, 'bad_json', message)
  }
  const token = written.trim()
  if (token === '') {
    const message = 'captcha protection: request disallowed (no captcha_token found)'
    throw new AuthError(400, 'captcha_failed', message)
  }
  await ctx.captcha.check(token, clientAddress(c))
}

async function isAdmin(ctx: AuthContext, c: AuthRequest): Promise<boolean> {
  try {
    await requireAdmin(ctx, c)
    return true
  } catch (error) {
    if (error instanceof AuthError) return false
    throw error
  }
}
