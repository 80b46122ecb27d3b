import { ConfigError, type Config } from '../../config/loadConfig.ts'
import { parseDuration } from './duration.ts'

/** Reads and validates values of `[auth]`; errors list the accepted values. */
export interface SettingsReader {
  at: Config['at']
  /** A duration such as "1m", in ms. */
  time(path: string, fallback: string): number
  /** A whole number within bounds. */
  within(path: string, fallback: number, least: number, most: number): number
  /** One of these texts. */
  oneOf<T extends string>(path: string, fallback: T, known: readonly T[]): T
  /** A table of texts with keys that the file chooses; empty if there is none. */
  strings(path: string): Record<string, string>
}

/** A reader of `config`, whose methods throw ConfigError with a sentence for the administrator. */
export function createSettingsReader(config: Config): SettingsReader {
  return {
    at: config.at,
    time(path, fallback) {
      const text = config.at(path, fallback)
      const parsed = parseDuration(text)
      if (parsed === null)
        throw new ConfigError(`${path} must be a duration such as "1m" or "24h", not "${text}"`)
      return parsed
    },
    within(path, fallback, least, most) {
      const value = config.at(path, fallback)
      if (!Number.isInteger(value) || value < least || value > most) {
        throw new ConfigError(`${path} must be a whole number from ${least} to ${most}, not ${value}`)
      }
      return value
    },
    oneOf<T extends string>(path: string, fallback: T, known: readonly T[]): T {
      const value = config.at<string>(path, fallback)
      const found = known.find((one) => one === value)
      if (found !== undefined) return found
      throw new ConfigError(
        `${path} must be one of ${known.map((one) => `"${one}"`).join(', ')}, not "${value}"`,
      )
    },
    strings(path) {
      let value: unknown = config.tree
      for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key]
      const entries = Object.entries(value ?? {}).map(([name, text]: [string, unknown]) => {
        if (typeof text === 'string') return [name, text] as const
        throw new ConfigError(`${path}.${name} must be a text, not ${JSON.stringify(text)}`)
      })
      return Object.fromEntries(entries)
    },
  }
}
