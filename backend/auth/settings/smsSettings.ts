import { ConfigError } from '../../config/ConfigError.ts'
import { normalizePhone } from '../accounts/validateEmail.ts'
import { parseTemplate, TemplateError, type Template } from '../mail/templates/renderTemplate.ts'
import type { SmsProviderSettings } from '../sms/createSmsProvider.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** `[auth.sms]` of config.toml. Times in ms. */
export interface SmsSettings {
  /** Whether users can sign up and sign in by phone. */
  enabled: boolean
  /** Whether new accounts are confirmed without a code. */
  autoconfirm: boolean
  maxFrequency: number
  otpLength: number
  otpExpiry: number
  /** The text of the message, with `{{ .Code }}`. */
  template: Template
  /** Fixed codes of test numbers, by number: no message is sent to them. */
  testCodes: ReadonlyMap<string, string>
  /** Null if messages go to the mailbox. */
  provider: SmsProviderSettings | null
}

/** Reads `[auth.sms]`. Throws ConfigError with a sentence for the administrator. */
export function readSmsSettings(read: SettingsReader): SmsSettings {
  const path = 'auth.sms'
  const tests = Object.entries(read.strings(`${path}.test_otp`))
  return {
    enabled: read.at(`${path}.enabled`, read.at(`${path}.enable_signup`, false)),
    autoconfirm: !read.at(`${path}.enable_confirmations`, false),
    maxFrequency: read.duration(`${path}.max_frequency`, '5s'),
    // Fixed in the official CLI, which has no keys for them.
    otpLength: 6,
    otpExpiry: 6_000_000,
    template: readSmsTemplate(read, `${path}.template`),
    testCodes: new Map(tests.map(([phone, code]) => [normalizePhone(phone), code])),
    provider: readSmsProvider(read),
  }
}

/** Reads the template of a text message. Throws ConfigError. */
export function readSmsTemplate(read: SettingsReader, path: string): Template {
  // In the official CLI's config.toml this is a template of a template, and is often copied as it is.
  const source = read
    .at(path, 'Your code is {{ .Code }}')
    .replaceAll(/\{\{\s*`(\{\{[^`]*\}\})`\s*\}\}/g, '$1')
  try {
    return parseTemplate(source, 'text')
  } catch (error) {
    if (error instanceof TemplateError) throw new ConfigError(`${path}: ${error.message}`)
    throw error
  }
}

/** The first enabled provider, in the official CLI's order. */
function readSmsProvider(read: SettingsReader): SmsProviderSettings | null {
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
