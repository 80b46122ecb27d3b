import type { Config } from '../../config/loadConfig.ts'

/** Reads and validates values of `[auth]`; errors list the accepted values. */
export interface SettingsReader {
  at: Config['at']
  errorAt: Config['errorAt']
  /** A duration such as "1m", in ms. */
  duration(path: string, fallback: string): number
  /** A whole number within bounds. */
  integer(path: string, fallback: number, min: number, max: number): number
  /** One of these texts. */
  oneOf<T extends string>(path: string, fallback: T, accepted: readonly T[]): T
  /** A table of texts with keys that the file chooses; empty if there is none. */
  strings(path: string): Record<string, string>
}

/** A reader of `config`, whose methods throw ConfigError with a sentence for the administrator. */
export function createSettingsReader(config: Config): SettingsReader {
  return {
    at: config.at,
    errorAt: config.errorAt,
    duration(path, fallback) {
      const text = config.at(path, fallback)
      const parsed = parseDuration(text)
      if (parsed === null)
        throw config.errorAt(path, `must be a duration such as "1m" or "24h", not "${text}"`)
      return parsed
    },
    integer(path, fallback, min, max) {
      const value = config.at(path, fallback)
      if (!Number.isInteger(value) || value < min || value > max) {
        throw config.errorAt(path, `must be a whole number from ${min} to ${max}, not ${value}`)
      }
      return value
    },
    oneOf<T extends string>(path: string, fallback: T, accepted: readonly T[]): T {
      const value = config.at<string>(path, fallback)
      const found = accepted.find((one) => one === value)
      if (found !== undefined) return found
      throw config.errorAt(
        path,
        `must be one of ${accepted.map((one) => `"${one}"`).join(', ')}, not "${value}"`,
      )
    },
    strings(path) {
      let value: unknown = config.tree
      for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key]
      const entries = Object.entries(value ?? {}).map(([name, text]: [string, unknown]) => {
        if (typeof text === 'string') return [name, text] as const
        throw config.errorAt(`${path}.${name}`, 'must be a text')
      })
      return Object.fromEntries(entries)
    },
  }
}

const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Milliseconds of a duration in Go's format ("1m0s", "24h", "1.5s"); null if it is invalid. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '0') return 0
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(trimmed)) return null
  let total = 0
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * units[unit!]!
  }
  return total
}
