import { createMessagebird, type MessagebirdSettings } from './messagebird.ts'
import type { ConfigureAuthExtension } from '../../auth/AuthExtension.ts'
import type { SmsProvider } from '../../auth/sms/SmsProvider.ts'
import { createTextlocal, type TextlocalSettings } from './textlocal.ts'
import { createTwilio, createTwilioVerify, type TwilioSettings } from './twilio.ts'
import { createVonage, type VonageSettings } from './vonage.ts'
import { ConfigError } from '../../config/ConfigError.ts'
import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'

/** The settings of an SMS provider, by its name in config.toml. */
export type SmsProviderSettings =
  | ({ name: 'twilio' } & TwilioSettings)
  | ({ name: 'twilio_verify' } & TwilioSettings)
  | ({ name: 'messagebird' } & MessagebirdSettings)
  | ({ name: 'textlocal' } & TextlocalSettings)
  | ({ name: 'vonage' } & VonageSettings)

/** The first enabled provider of `[auth.sms]`, in the official CLI's order; null if messages go to the mailbox. */
export function readSmsProviderSettings(read: SettingsReader): SmsProviderSettings | null {
  const twilio = (name: 'twilio' | 'twilio_verify') => {
    const text = requiredTexts(read, name)
    const accountSid = text('account_sid')
    return { name, accountSid, messageServiceSid: text('message_service_sid'), authToken: text('auth_token') }
  }
  const on = (name: string): boolean => read.at(`auth.sms.${name}.enabled`, false)
  if (on('twilio')) return twilio('twilio')
  if (on('twilio_verify')) return twilio('twilio_verify')
  if (on('messagebird')) {
    const text = requiredTexts(read, 'messagebird')
    return { name: 'messagebird', originator: text('originator'), accessKey: text('access_key') }
  }
  if (on('textlocal')) {
    const text = requiredTexts(read, 'textlocal')
    return { name: 'textlocal', sender: text('sender'), apiKey: text('api_key') }
  }
  if (on('vonage')) {
    const text = requiredTexts(read, 'vonage')
    const from = text('from')
    return { name: 'vonage', from, apiKey: text('api_key'), apiSecret: text('api_secret') }
  }
  return null
}

/** Reads a required value of an enabled provider. */
function requiredTexts(read: SettingsReader, name: string): (key: string) => string {
  return (key) => {
    const path = `auth.sms.${name}.${key}`
    const value = read.at(path, '').trim()
    if (value === '' || value.startsWith('env(')) {
      throw new ConfigError(`${path} must be what ${name} gave you, or auth.sms.${name}.enabled = false`)
    }
    return value
  }
}

/** Sends text messages with the provider that config.toml enables. `fetchFn` is replaced in tests. */
export function configureSmsProvider(fetchFn?: typeof fetch): ConfigureAuthExtension {
  return (read) => {
    const settings = readSmsProviderSettings(read)
    return { smsProvider: settings && createSmsProvider(settings, fetchFn) }
  }
}

/** @param fetchFn replaced in tests */
export function createSmsProvider(settings: SmsProviderSettings, fetchFn: typeof fetch = fetch): SmsProvider {
  switch (settings.name) {
    case 'twilio':
      return createTwilio(settings, fetchFn)
    case 'twilio_verify':
      return createTwilioVerify(settings, fetchFn)
    case 'messagebird':
      return createMessagebird(settings, fetchFn)
    case 'textlocal':
      return createTextlocal(settings, fetchFn)
    case 'vonage':
      return createVonage(settings, fetchFn)
  }
}
