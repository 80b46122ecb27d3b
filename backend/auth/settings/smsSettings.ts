import { normalizePhone } from '../accounts/validateEmail.ts'
import { parseTemplate, TemplateError, type Template } from '../mail/templates/renderTemplate.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** `[auth.sms]` of config.toml. Times in ms. */
export interface SmsSettings {
  /** Whether users can sign up and sign in by phone. */
  enabled: boolean
  /** Whether new accounts are confirmed without a code. */
  autoconfirm: boolean
  cooldownMs: number
  otpLength: number
  otpExpiry: number
  /** The text of the message, with `{{ .Code }}`. */
  template: Template
  /** Fixed codes of test numbers, by number: no message is sent to them. */
  testCodes: ReadonlyMap<string, string>
}

/** Reads `[auth.sms]`. Throws ConfigError with a sentence for the administrator. */
export function readSmsSettings(read: SettingsReader): SmsSettings {
  const path = 'auth.sms'
  const tests = Object.entries(read.strings(`${path}.test_otp`))
  return {
    enabled: read.at(`${path}.enabled`, read.at(`${path}.enable_signup`, false)),
    autoconfirm: !read.at(`${path}.enable_confirmations`, false),
    cooldownMs: read.duration(`${path}.max_frequency`, '5s'),
    // Fixed in the official CLI, which has no keys for them.
    otpLength: 6,
    otpExpiry: 6_000_000,
    template: readSmsTemplate(read, `${path}.template`),
    testCodes: new Map(tests.map(([phone, code]) => [normalizePhone(phone), code])),
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
    if (error instanceof TemplateError) throw read.errorAt(path, `is not a valid template: ${error.message}`)
    throw error
  }
}
