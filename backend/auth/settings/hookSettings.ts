import { ConfigError } from '../../config/ConfigError.ts'
import { hookNames, type HookName } from '../hooks/hookNames.ts'
import { HookTargetError, parseHookTarget, type HookTarget } from '../hooks/parseHookTarget.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** What each hook calls, and how many calls may run at once; null where it is off. */
export type HookSettings = Record<HookName, (HookTarget & { maxConcurrent: number }) | null>

/** Reads `[auth.hook.*]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readHookSettings(read: SettingsReader): HookSettings {
  return Object.fromEntries(hookNames.map((name) => [name, readHook(read, name)])) as HookSettings
}

function readHook(read: SettingsReader, name: HookName): HookSettings[HookName] {
  const path = `auth.hook.${name}`
  if (!read.at(`${path}.enabled`, false)) return null
  try {
    const target = parseHookTarget(read.at(`${path}.uri`, ''), read.at(`${path}.secrets`, ''))
    // Each call of a function takes one of PostgreSQL's connections, of which there are 60.
    const [usual, most] = target.kind === 'function' ? [2, 8] : [20, 1000]
    return { ...target, maxConcurrent: read.within(`${path}.max_concurrent`, usual, 1, most) }
  } catch (error) {
    // A guard that is switched on and silently not asked would be worse than a start that fails.
    if (error instanceof HookTargetError) throw new ConfigError(`${path}.${error.key} ${error.message}`)
    throw error
  }
}
