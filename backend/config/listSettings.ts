import { isSecretKey } from './KnownKey.ts'
import type { Source } from './Source.ts'
import { listPaths, valueAt } from './configTree.ts'
import type { Config } from './loadConfig.ts'

/** A setting that a file or the environment contains. */
export interface Setting {
  key: string
  /** Null for a secret, which is never printed. */
  value: unknown
  isSecret: boolean
  source: Source
}

/**
 * The settings that files and the environment contain.
 * @param isForInstallation leaves out the settings of the project's own files
 */
export function listSettings(config: Config, isForInstallation: boolean): Setting[] {
  return listPaths(config.tree).flatMap((key) => {
    const source = config.sourceOf(key)
    if (source === null || (isForInstallation && !config.isOfInstallation(key))) return []
    const isSecret = isSecretKey(key)
    return [{ key, value: isSecret ? null : valueAt(config.tree, key), isSecret, source }]
  })
}
