import { type HookTarget, HookTargetError, parseHookTarget } from '../hooks/parseHookTarget.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** Hooks by their names in config.toml, with the event name that each receives. */
export const eventNames = {
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  custom_access_token: 'customize-access-token',
  send_email: 'send-email',
  send_sms: 'send-sms',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
} as const
export type HookName = keyof typeof eventNames
export const hookNames = Object.keys(eventNames) as HookName[]

/** The target of each hook, and its maximum of concurrent calls; null if it is disabled. */
export type HookSettings = Record<HookName, (HookTarget & { maxConcurrent: number }) | null>

/** Reads `[auth.hook.*]`. Throws ConfigError with a sentence for the administrator. */
export function readHookSettings(read: SettingsReader): HookSettings {
  return Object.fromEntries(hookNames.map((name) => [name, readHook(read, name)])) as HookSettings
}

function readHook(read: SettingsReader, name: HookName): HookSettings[HookName] {
  const path = `auth.hook.${name}`
  if (!read.at(`${path}.enabled`, false)) return null
  try {
    const target = parseHookTarget(read.at(`${path}.uri`, ''), read.at(`${path}.secrets`, ''))
    // Each call of a function needs one of PostgreSQL's 60 connections.
    const [fallback, max] = target.kind === 'function' ? [2, 8] : [20, 1000]
    return { ...target, maxConcurrent: read.integer(`${path}.max_concurrent`, fallback, 1, max) }
  } catch (error) {
    // A start that fails is better than an enabled hook that is silently never called.
    if (error instanceof HookTargetError) throw read.errorAt(`${path}.${error.key}`, error.message)
    throw error
  }
}
