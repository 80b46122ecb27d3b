import { join } from 'node:path'
import { environmentFiles } from '../../config/environment.ts'
import { loadConfig, type Config } from '../../config/loadConfig.ts'
import { FileStamps } from '../../FileStamps.ts'

/** The files that a configuration is made of, and those that may come. */
export function configFiles(dir: string): string[] {
  return [join(dir, 'config.toml'), join(dir, 'linnet.toml'), ...environmentFiles(dir)]
}

/**
 * A function that answers with the configuration as it is now, parsed again only where a file of it has changed:
 * requests for functions that are not there ask too. Throws ConfigError.
 */
export function readConfigAnew(dir: string): () => Config {
  let config: Config | null = null
  let stamps = new FileStamps([])
  return () => {
    if (config === null || stamps.hasChanged()) {
      stamps = new FileStamps(configFiles(dir))
      config = null
      config = loadConfig(dir)
    }
    return config
  }
}
