import { join } from 'node:path'
import { configFileNames } from '../../config/configFile.ts'
import { environmentFiles } from '../../config/environment.ts'
import { installationFile, loadConfig, type Config } from '../../config/loadConfig.ts'
import { settingsFile } from '../../config/settingsFile.ts'
import { FileStamps } from '../../runtime/FileStamps.ts'

/** The files of a configuration, including those that do not exist yet. */
export function configFiles(dir: string, dataDir: string): string[] {
  return [
    ...[...configFileNames, 'linnet.toml'].map((name) => join(dir, name)),
    settingsFile(dataDir),
    installationFile(dataDir),
    ...environmentFiles(dir),
  ]
}

/**
 * Returns a function that returns the current configuration, parsed again only if one of its files has changed, since
 * requests for unknown functions read it too. Throws ConfigError.
 */
export function createConfigReader(dir: string, dataDir: string): () => Config {
  let config: Config | null = null
  let stamps = new FileStamps([])
  return () => {
    if (config === null || stamps.hasChanged()) {
      stamps = new FileStamps(configFiles(dir, dataDir))
      config = null
      config = loadConfig(dir, dataDir)
    }
    return config
  }
}
