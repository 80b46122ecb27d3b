import { ConfigError } from '../../config/ConfigError.ts'
import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'
import type { MessagebirdSettings } from './messagebird.ts'
import type { TextlocalSettings } from './textlocal.ts'
import type { TwilioSettings } from './twilio.ts'
import type { VonageSettings } from './vonage.ts'

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
