import type { ConfigureAuthExtension } from '../../auth/AuthExtension.ts'
import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'
import type { SmsProvider } from '../../auth/sms/SmsProvider.ts'
import { createMessagebird } from './messagebird.ts'
import { createTextlocal } from './textlocal.ts'
import { createTwilio, createTwilioVerify } from './twilio.ts'
import { createVonage } from './vonage.ts'

const twilioKeys = {
  accountSid: 'account_sid',
  messageServiceSid: 'message_service_sid',
  authToken: 'auth_token',
} as const

/** The settings of each provider with their keys, by its name in config.toml and in the official CLI's order. */
const providers = {
  twilio: { keys: twilioKeys, create: createTwilio },
  twilio_verify: { keys: twilioKeys, create: createTwilioVerify },
  messagebird: { keys: { originator: 'originator', accessKey: 'access_key' }, create: createMessagebird },
  textlocal: { keys: { sender: 'sender', apiKey: 'api_key' }, create: createTextlocal },
  vonage: { keys: { from: 'from', apiKey: 'api_key', apiSecret: 'api_secret' }, create: createVonage },
} as const
type Providers = typeof providers

/** The settings of an SMS provider. */
export type SmsProviderSettings = {
  [Name in keyof Providers]: { name: Name } & Record<keyof Providers[Name]['keys'], string>
}[keyof Providers]

/** Reads the first enabled provider of `[auth.sms]`; null if messages go to the mailbox. Throws ConfigError. */
export function readSmsProviderSettings(read: SettingsReader): SmsProviderSettings | null {
  for (const [name, { keys }] of Object.entries(providers)) {
    if (!read.at(`auth.sms.${name}.enabled`, false)) continue
    const settings = Object.entries(keys).map(([setting, key]) => [setting, requiredText(read, name, key)])
    return { name, ...Object.fromEntries(settings) } as SmsProviderSettings
  }
  return null
}

function requiredText(read: SettingsReader, name: string, key: string): string {
  const path = `auth.sms.${name}.${key}`
  const value = read.at(path, '').trim()
  if (value !== '' && !value.startsWith('env(')) return value
  throw read.errorAt(path, `must be what ${name} gave you, or auth.sms.${name}.enabled = false`)
}

/** Adds the provider of text messages that config.toml enables to the auth service. Tests replace `fetchFn`. */
export function configureSmsProvider(fetchFn?: typeof fetch): ConfigureAuthExtension {
  return (read) => {
    const settings = readSmsProviderSettings(read)
    return { smsProvider: settings && createSmsProvider(settings, fetchFn) }
  }
}

/** @param fetchFn replaced in tests */
export function createSmsProvider(settings: SmsProviderSettings, fetchFn: typeof fetch = fetch): SmsProvider {
  return providers[settings.name].create(settings as never, fetchFn)
}
