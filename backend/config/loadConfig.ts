import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'

/** A `config.toml` as parsed; sections are read through `at`. */
export type ConfigTree = Record<string, unknown>

/** A wrong `config.toml`: `message` is a sentence for the person who wrote it. */
export class ConfigError extends Error {}

/** Replaces `env(NAME)` by the variable's value, as the Supabase CLI does; an unset one stays as it is. */
function resolveEnvironment(value: unknown): unknown {
  if (typeof value === 'string') {
    const match = /^env\((\w+)\)$/.exec(value)
    return match ? (process.env[match[1]!] ?? value) : value
  }
  if (Array.isArray(value)) return value.map(resolveEnvironment)
  if (value && typeof value === 'object' && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveEnvironment(inner)]))
  }
  return value
}

export interface Config {
  tree: ConfigTree
  /** The folder that holds `config.toml`, migrations and functions. */
  dir: string
  /**
   * The value at `path` ("auth.email.otp_length") when it has the type of `fallback`, else `fallback`
   * where it is absent. Throws ConfigError where its type is another.
   */
  at<T extends string | number | boolean | string[]>(path: string, fallback: T): T
}

/** Reads `<dir>/config.toml`; a missing file is an empty configuration. Throws ConfigError on bad TOML. */
export function loadConfig(dir: string): Config {
  const file = join(dir, 'config.toml')
  let tree: ConfigTree = {}
  if (existsSync(file)) {
    try {
      tree = resolveEnvironment(parse(readFileSync(file, 'utf8'))) as ConfigTree
    } catch (error) {
      throw new ConfigError(`${file} can't be read: ${(error as Error).message}`)
    }
  }
  return {
    tree,
    dir,
    at(path, fallback) {
      let value: unknown = tree
      for (const key of path.split('.')) {
        value = value && typeof value === 'object' ? (value as ConfigTree)[key] : undefined
      }
      if (value === undefined) return fallback
      const fits = Array.isArray(fallback)
        ? Array.isArray(value) && value.every((item) => typeof item === 'string')
        : typeof value === typeof fallback
      if (!fits) {
        const wanted = Array.isArray(fallback) ? 'a list of strings' : `a ${typeof fallback}`
        throw new ConfigError(`${file}: ${path} must be ${wanted}, not ${JSON.stringify(value)}`)
      }
      return value as typeof fallback
    },
  }
}
