import type { Template } from '../mail/templates/renderTemplate.ts'
import type { SettingsReader } from './createSettingsReader.ts'
import { readSmsTemplate } from './smsSettings.ts'

/** Whether a type of factor can be enrolled, and whether enrolled ones can be verified. */
interface FactorSwitches {
  enroll: boolean
  verify: boolean
}

/** `[auth.mfa]`. */
export interface FactorSettings {
  /** The maximum per user, unverified ones included. */
  maxPerUser: number
  totp: FactorSwitches
  phone: FactorSwitches & {
    otpLength: number
    /** The text of the message, with `{{ .Code }}`. */
    template: Template
    /** Minimum interval between two messages for one factor, in ms. */
    cooldownMs: number
  }
  webauthn: FactorSwitches
}

/** @throws ConfigError */
export function readFactorSettings(read: SettingsReader): FactorSettings {
  const { at, duration, integer, errorAt } = read
  const switches = (name: string): FactorSwitches => {
    const path = `auth.mfa.${name}`
    const [enroll, verify] = [at(`${path}.enroll_enabled`, false), at(`${path}.verify_enabled`, false)]
    // Users who enrolled one could not sign in any more.
    if (enroll && !verify) throw errorAt(`${path}.enroll_enabled`, 'needs verify_enabled = true as well')
    return { enroll, verify }
  }
  return {
    maxPerUser: integer('auth.mfa.max_enrolled_factors', 10, 0, 1000),
    totp: switches('totp'),
    phone: {
      ...switches('phone'),
      otpLength: integer('auth.mfa.phone.otp_length', 6, 6, 10),
      template: readSmsTemplate(read, 'auth.mfa.phone.template'),
      cooldownMs: duration('auth.mfa.phone.max_frequency', '5s'),
    },
    webauthn: switches('web_authn'),
  }
}
