import {
  displayedSettings,
  serverSettings,
  type ServerSetting,
  type SettingChanges,
  type SettingValue,
} from '../../wire/serverSettings.ts'
import { basename } from 'node:path'
import { isSecretKey } from '../config/KnownKey.ts'
import { valueAt } from '../config/configTree.ts'
import type { Config } from '../config/loadConfig.ts'
import { settingsFile, tableWithSecretOf, type StoredSettings } from '../config/settingsFile.ts'

/** Where a setting is fixed. */
export interface Places {
  dataDir: string
  /** Options of the command line, by the key that they override. */
  options: Readonly<Record<string, string>>
}

/** The name of the place that fixes a setting above settings.json; null if there is none. */
export function findFixedBy(config: Config, key: string, { dataDir, options }: Places): string | null {
  if (options[key] !== undefined) return options[key]
  const table = tableWithSecretOf(key)
  // The keys of such a table apply together.
  const keys = table === null ? [key] : serverSettings.filter((one) => tableWithSecretOf(one) === table)
  for (const one of table === null ? keys : [...keys, `${table}.enabled`]) {
    const source = config.isOfInstallation(one) ? config.sourceOf(one) : null
    if (source === null) continue
    if ('variable' in source) return source.variable
    if (source.file !== settingsFile(dataDir)) return basename(source.file)
  }
  return null
}

/** The settings of the page "Server". Never contains a secret. */
export function describeSettings(config: Config, places: Places): Record<string, ServerSetting> {
  const describe = (key: string): ServerSetting => {
    const value = valueAt(config.tree, key) as SettingValue | undefined
    const isSet = value !== undefined && value !== ''
    return {
      value: isSet && !isSecretKey(key) ? value : null,
      isSet,
      fixedBy: findFixedBy(config, key, places),
    }
  }
  return Object.fromEntries([
    ...serverSettings.map((key) => [key, describe(key)]),
    ...displayedSettings.map((key) => {
      const { fixedBy, ...setting } = describe(key)
      return [key, { ...setting, fixedBy: fixedBy ?? 'linnet.toml' }]
    }),
  ]) as Record<string, ServerSetting>
}

/** The settings of the page whose values differ between two configurations. */
export function findChanged(before: Config, after: Config): string[] {
  return serverSettings.filter((key) => valueAt(before.tree, key) !== valueAt(after.tree, key))
}

/** The settings with changes; null removes a setting. */
export function applyChanges(stored: StoredSettings, changes: SettingChanges): StoredSettings {
  const changed = Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null)
  return Object.fromEntries(changed) as StoredSettings
}
