import { ConfigError } from '../../config/loadConfig.ts'
import type { Template } from '../mail/templates/renderTemplate.ts'
import type { SettingsReader } from './createSettingsReader.ts'
import { readTextTemplate } from './smsSettings.ts'

/** Whether a type of factor can be enrolled, and whether enrolled ones can be verified. */
interface FactorSwitches {
  enroll: boolean
  verify: boolean
}

/** `[auth.mfa]`. */
export interface FactorSettings {
  /** The maximum per user, unverified ones included. */
  most: number
  totp: FactorSwitches
  phone: FactorSwitches & {
    otpLength: number
    /** The text of the message, with `{{ .Code }}`. */
    template: Template
    /** Minimum interval between two messages for one factor, in ms. */
    maxFrequency: number
  }
  webauthn: FactorSwitches
}

/** @throws ConfigError */
export function readFactorSettings(read: SettingsReader): FactorSettings {
  const { at, time, within } = read
  const switches = (name: string): FactorSwitches => {
    const path = `auth.mfa.${name}`
    const [enroll, verify] = [at(`${path}.enroll_enabled`, false), at(`${path}.verify_enabled`, false)]
    // Users who enrolled one could not sign in any more.
    if (enroll && !verify) throw new ConfigError(`${path}.enroll_enabled needs verify_enabled = true as well`)
    return { enroll, verify }
  }
  return {
    most: within('auth.mfa.max_enrolled_factors', 10, 0, 1000),
    totp: switches('totp'),
    phone: {
      ...switches('phone'),
      otpLength: within('auth.mfa.phone.otp_length', 6, 6, 10),
      template: readTextTemplate(read, 'auth.mfa.phone.template'),
      maxFrequency: time('auth.mfa.phone.max_frequency', '5s'),
    },
    webauthn: switches('web_authn'),
  }
}
