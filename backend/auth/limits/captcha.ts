import { AuthError } from '../http/AuthError.ts'
import type { CaptchaProvider, CaptchaSettings } from '../settings/captchaSettings.ts'

/** Where each provider says whether a token is good. */
const addresses: Record<CaptchaProvider, string> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

/** As long as hosted waits, in ms. */
const patience = 10_000

/**
 * Says whether a token that a captcha gave a browser is good. The provider alone knows, so this is the one guard
 * that asks the network, and only where config.toml names a provider.
 */
export interface Captcha {
  /** @throws AuthError 400 captcha_failed with the provider's reasons, 500 where it can't be asked */
  check(token: string, ip: string): Promise<void>
}

/** @param address of the provider's judgement, unless it is the provider's own */
export function createCaptcha({ provider, secret }: CaptchaSettings, address = addresses[provider]): Captcha {
  const ask = async (token: string, ip: string): Promise<Record<string, unknown>> => {
    const response = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: ip }),
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    })
    const verdict: unknown = await response.json()
    if (typeof verdict !== 'object' || verdict === null) throw new Error('the answer is no object')
    return verdict as Record<string, unknown>
  }
  return {
    async check(token, ip) {
      const verdict = await ask(token, ip).catch((cause: unknown) => {
        throw new AuthError(500, 'unexpected_failure', 'captcha verification process failed', { cause })
      })
      if (verdict['success'] === true) return
      const codes = verdict['error-codes']
      const reasons = Array.isArray(codes) ? codes.filter((one) => typeof one === 'string').join(', ') : ''
      throw new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${reasons})`)
    },
  }
}
