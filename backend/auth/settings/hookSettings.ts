import { ConfigError } from '../../config/ConfigError.ts'
import { hookNames, type HookName } from '../hooks/hookNames.ts'
import { HookTargetError, parseHookTarget, type HookTarget } from '../hooks/parseHookTarget.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** Whom each hook asks; null where it is off. */
export type HookSettings = Record<HookName, HookTarget | null>

/** Reads `[auth.hook.*]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readHookSettings(read: SettingsReader): HookSettings {
  return Object.fromEntries(hookNames.map((name) => [name, readHook(read, name)])) as HookSettings
}

function readHook(read: SettingsReader, name: HookName): HookTarget | null {
  const path = `auth.hook.${name}`
  if (!read.at(`${path}.enabled`, false)) return null
  try {
    return parseHookTarget(read.at(`${path}.uri`, ''), read.at(`${path}.secrets`, ''))
  } catch (error) {
    // A guard that is switched on and silently not asked would be worse than a start that fails.
    if (error instanceof HookTargetError) throw new ConfigError(`${path}.${error.key} ${error.message}`)
    throw error
  }
}
