import { ConfigError } from '../../config/ConfigError.ts'
import { hookNames, type HookName } from '../hooks/hookNames.ts'
import { HookTargetError, parseHookTarget, type HookTarget } from '../hooks/parseHookTarget.ts'
import type { SettingsReader } from './createSettingsReader.ts'

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
    if (error instanceof HookTargetError) throw new ConfigError(`${path}.${error.key} ${error.message}`)
    throw error
  }
}
