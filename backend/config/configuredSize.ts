import type { Config } from './loadConfig.ts'

const binaryPowers = 'kmgtp'

/**
 * The bytes of a limit in `config.toml` ("50MiB", "50MB", "1g", 1024): there every unit counts
 * in powers of 1,024, as with the Supabase CLI. Null where it can't be read.
 */
export function parseConfiguredSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([kmgtp])?i?b?)$/i.exec(text.trim())
  if (!match) return null
  const power = match[2] ? binaryPowers.indexOf(match[2].toLowerCase()) + 1 : 0
  const bytes = Math.round(Number(match[1]) * 1024 ** power)
  return Number.isSafeInteger(bytes) ? bytes : null
}

/** The bytes that `path` of `config.toml` sets. Throws ConfigError where they can't be read. */
export function configuredSize(config: Config, path: string, fallback: string): number {
  const text = config.at(path, fallback)
  const bytes = parseConfiguredSize(text)
  if (bytes === null) throw config.errorAt(path, `must be a size such as "50MiB", not "${text}"`)
  return bytes
}

/** The setting for the disk space that uploads and backups leave free, with its default. */
export const freeSpaceReserve = ['storage.free_space_reserve', '1GiB'] as const
