import type { SettingsReader } from './createSettingsReader.ts'

const providers = ['hcaptcha', 'turnstile'] as const
export type CaptchaProvider = (typeof providers)[number]

/** `[auth.captcha]`: the service that verifies captchas. */
export interface CaptchaSettings {
  provider: CaptchaProvider
  /** Null if its variable is not set: every request that needs a captcha is then refused. */
  secret: string | null
}

/** Null if captchas are disabled. Throws ConfigError. */
export function readCaptchaSettings({ at, oneOf, errorAt }: SettingsReader): CaptchaSettings | null {
  const path = 'auth.captcha'
  if (!at(`${path}.enabled`, false)) return null
  const given = at(`${path}.secret`, '').trim()
  // With an unset variable its name would be sent as the secret.
  if ([at(`${path}.provider`, ''), given].some((value) => value.startsWith('env('))) {
    return { provider: 'hcaptcha', secret: null }
  }
  // No default: the official CLI has none, and tokens of one provider are invalid at the other.
  const provider = oneOf<CaptchaProvider>(`${path}.provider`, '' as CaptchaProvider, providers)
  // Without a secret each request would fail.
  if (given === '') {
    throw errorAt(`${path}.secret`, `must be the secret that ${provider} gave, or enabled = false`)
  }
  return { provider, secret: given }
}
