import { ConfigError } from '../../config/loadConfig.ts'
import type { SettingsReader } from './createSettingsReader.ts'

const providers = ['hcaptcha', 'turnstile'] as const
export type CaptchaProvider = (typeof providers)[number]

/** `[auth.captcha]`: who judges whether a person asks. */
export interface CaptchaSettings {
  provider: CaptchaProvider
  secret: string
}

/** Null where no captcha is asked. Throws ConfigError. */
export function readCaptchaSettings({ at, oneOf }: SettingsReader): CaptchaSettings | null {
  const path = 'auth.captcha'
  if (!at(`${path}.enabled`, false)) return null
  // No default: the official CLI has none, and a token of the one means nothing to the other.
  const provider = oneOf<CaptchaProvider>(`${path}.provider`, '' as CaptchaProvider, providers)
  const secret = at(`${path}.secret`, '').trim()
  // Without it each request would be refused, or worse, a mistaken name be sent as the secret.
  if (secret === '' || secret.startsWith('env(')) {
    throw new ConfigError(`${path}.secret must be the secret that ${provider} gave, or enabled = false`)
  }
  return { provider, secret }
}
