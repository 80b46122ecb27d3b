import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The names of a project's configuration. The official CLI prefers JSON. */
export const configFileNames = ['config.json', 'config.jsonc', 'config.toml'] as const

/** The path of the first configuration that exists in a supabase folder, else of `config.toml`. */
export function findConfigFile(dir: string): string {
  const paths = configFileNames.map((name) => join(dir, name))
  return paths.find((path) => existsSync(path)) ?? join(dir, 'config.toml')
}
