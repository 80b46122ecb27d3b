import { ConfigError } from '../../config/loadConfig.ts'
import type { Template } from '../mail/templates/renderTemplate.ts'
import type { SettingsReader } from './createSettingsReader.ts'
import { readTextTemplate } from './smsSettings.ts'

/** Whether a kind of factor may be set up anew, and whether those that are set up are asked. */
interface FactorSwitches {
  enroll: boolean
  verify: boolean
}

/** `[auth.mfa]`. */
export interface FactorSettings {
  /** How many a person may have, the half-finished among them. */
  most: number
  totp: FactorSwitches
  phone: FactorSwitches & {
    otpLength: number
    /** The words of the text; knows `{{ .Code }}`. */
    template: Template
    /** Between two messages to one factor, in ms. */
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
    // Whoever set one up would stand before a door without a handle.
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
