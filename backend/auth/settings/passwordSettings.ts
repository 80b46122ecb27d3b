import type { SettingsReader } from './createSettingsReader.ts'

/** What a new password has to be. */
export interface PasswordSettings {
  /** In bytes, as the contract counts them. */
  minimumLength: number
  /** Sets of characters, of each of which a password needs one. */
  required: string[]
  /** Whether passwords that everybody knows are refused. */
  refuseLeaked: boolean
  /** Whether who changes their password has to say the old one, unless they forgot it. */
  requireCurrent: boolean
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const symbols = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~'
const requirements: Record<string, string[]> = {
  '': [],
  letters_digits: [lower + upper, digits],
  lower_upper_letters_digits: [lower, upper, digits],
  lower_upper_letters_digits_symbols: [lower, upper, digits, symbols],
}

/** @throws ConfigError */
export function readPasswordSettings({ at, within, oneOf }: SettingsReader): PasswordSettings {
  const requirement = oneOf('auth.password_requirements', '', Object.keys(requirements))
  return {
    minimumLength: within('auth.minimum_password_length', 6, 6, 72),
    required: requirements[requirement]!,
    // Ours, to be said in linnet.toml: hosted has a switch in its dashboard, the official CLI no key.
    refuseLeaked: at('auth.leaked_password_protection', false),
    // Likewise.
    requireCurrent: at('auth.require_current_password', false),
  }
}
