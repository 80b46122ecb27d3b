import { ConfigError } from '../../config/ConfigError.ts'
import { hookNames, type HookName } from '../hooks/hookNames.ts'
import { parseHookUri } from '../hooks/parseHookUri.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** The function that each hook calls, quoted for SQL; null where it is off. */
export type HookSettings = Record<HookName, string | null>

/** Reads `[auth.hook.*]`. Throws ConfigError with a sentence for the person who wrote the file. */
export function readHookSettings(read: SettingsReader): HookSettings {
  return Object.fromEntries(hookNames.map((name) => [name, readHook(read, name)])) as HookSettings
}

function readHook(read: SettingsReader, name: HookName): string | null {
  const path = `auth.hook.${name}`
  if (!read.at(`${path}.enabled`, false)) return null
  const uri = read.at(`${path}.uri`, '')
  const called = parseHookUri(uri)
  // A guard that is switched on and silently not asked would be worse than a start that fails.
  if (!called) {
    throw new ConfigError(
      `${path}.uri must be pg-functions://postgres/<schema>/<function>, not "${uri}": hooks by HTTP are not served`,
    )
  }
  return called
}
