import type { Config } from '../config/loadConfig.ts'
import {
  availableMemory,
  chooseMemorySettings,
  type MemorySettings,
} from '../postgres/server/memorySettings.ts'

/** A number of kilobytes or more; PostgreSQL would not start with another unit. */
const size = /^[1-9]\d{0,8}(kB|MB|GB)$/

/**
 * `[db.settings]` where configured, else as the memory of the machine and the size of the database require. Throws ConfigError.
 * @param database bytes of the database
 */
export function readMemorySettings(config: Config, database: number): MemorySettings {
  const settings = chooseMemorySettings(availableMemory(), database)
  for (const name of Object.keys(settings) as (keyof MemorySettings)[]) {
    const value = config.at(`db.settings.${name}`, settings[name])
    if (!size.test(value)) {
      throw config.errorAt(
        `db.settings.${name}`,
        `must be a size such as "${settings[name]}", not "${value}".`,
      )
    }
    settings[name] = value
  }
  return settings
}
