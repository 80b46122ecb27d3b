import { sendOutbound } from '../../runtime/outbound/sendOutbound.ts'
import { AuthError } from '../http/AuthError.ts'
import type { CaptchaProvider, CaptchaSettings } from '../settings/captchaSettings.ts'

/** The URL that verifies tokens of each provider. */
const verifyUrls: Record<CaptchaProvider, string> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

/** The timeout of a verification, as on hosted Supabase. */
const timeoutMs = 10_000
const maxResponseBytes = 65_536

/**
 * Verifies the token that the browser received from a captcha. Only the provider can do that, so this is the only check
 * that sends a request to the network, and only if config.toml enables it.
 */
export interface Captcha {
  /** @throws AuthError 400 captcha_failed with the provider's reasons, 500 if the provider cannot be reached */
  check(token: string, ip: string): Promise<void>
}

/** @param verifyUrl the URL that verifies tokens, by default the provider's */
export function createCaptcha(
  { provider, secret }: CaptchaSettings,
  verifyUrl = verifyUrls[provider],
): Captcha {
  const requestVerdict = async (token: string, ip: string): Promise<Record<string, unknown>> => {
    if (secret === null) throw new Error('the variable in auth.captcha is not set')
    const response = await sendOutbound({
      url: verifyUrl,
      method: 'POST',
      headers: [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['User-Agent', 'Linnet'],
      ],
      body: new URLSearchParams({ secret, response: token, remoteip: ip }).toString(),
      maxRedirects: 0,
      maxResponseBytes,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status >= 300 && response.status < 400) throw new Error('the response is a redirect')
    const verdict: unknown = JSON.parse(response.body.toString('utf8'))
    if (typeof verdict !== 'object' || verdict === null) throw new Error('the response is not an object')
    return verdict as Record<string, unknown>
  }
  return {
    async check(token, ip) {
      const verdict = await requestVerdict(token, ip).catch((cause: unknown) => {
        throw new AuthError(500, 'unexpected_failure', 'captcha verification process failed', { cause })
      })
      if (verdict['success'] === true) return
      const codes = verdict['error-codes']
      const reasons = Array.isArray(codes) ? codes.filter((code) => typeof code === 'string').join(', ') : ''
      throw new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${reasons})`)
    },
  }
}
