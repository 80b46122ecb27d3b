import type { SettingsReader } from './createSettingsReader.ts'

/** Rules for new passwords. */
export interface PasswordSettings {
  /** Whether people can sign in with passwords and choose new ones. */
  enabled: boolean
  /** In bytes, as GoTrue counts them. */
  minimumLength: number
  /** Sets of characters; a password needs one of each. */
  required: string[]
  /** Whether leaked passwords are rejected. */
  rejectLeaked: boolean
  /** Whether a change of password needs the current one, except after a password recovery. */
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
export function readPasswordSettings({ at, integer, oneOf }: SettingsReader): PasswordSettings {
  const requirement = oneOf('auth.password_requirements', '', Object.keys(requirements))
  return {
    enabled: at('auth.email.passwords', true),
    minimumLength: integer('auth.minimum_password_length', 6, 6, 72),
    required: requirements[requirement]!,
    // Belongs in linnet.toml: hosted Supabase has a switch in its dashboard, the official CLI has no key.
    rejectLeaked: at('auth.leaked_password_protection', false),
    // Likewise.
    requireCurrent: at('auth.email.require_current_password', at('auth.require_current_password', false)),
  }
}
