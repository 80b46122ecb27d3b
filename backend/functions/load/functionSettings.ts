import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/loadConfig.ts'
import { isRegularFile } from './readSource.ts'

/** Settings of one function, from its folder and `[functions.<name>]` of config.toml. */
export interface FunctionSettings {
  name: string
  enabled: boolean
  verifyJwt: boolean
  /** Absolute, whether or not the file exists. */
  entrypoint: string
  /** Absolute; null if there is none. */
  importMap: string | null
  /** Absolute globs. */
  staticFiles: string[]
  /** Files whose creation or deletion would change these settings. */
  lookedUp: string[]
}

/** Function names of the Supabase CLI; folders with other names are ignored. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/

export const isFunctionName = (name: string): boolean => namePattern.test(name)

const entryNames = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'mts'].map((extension) => `index.${extension}`)

/** Exact names of the folders: case-insensitive file systems would find "Hello" for "hello". */
function foldersOf(dir: string): string[] {
  try {
    return readdirSync(dir).filter(isFunctionName)
  } catch {
    return []
  }
}

function sectionOf(config: Config, name: string): Record<string, unknown> | null {
  const { functions } = config.tree
  if (functions === null || typeof functions !== 'object' || !Object.hasOwn(functions, name)) return null
  const section = (functions as Record<string, unknown>)[name]
  return section !== null && typeof section === 'object' ? (section as Record<string, unknown>) : null
}

/** The first file that exists, or null; all candidates are added to `lookedUp`. */
function firstFile(candidates: string[], lookedUp: string[]): string | null {
  lookedUp.push(...candidates)
  return candidates.find(isRegularFile) ?? null
}

/**
 * Settings of one function; null if it does not exist. Precedence as in the CLI: config.toml, then `deno.json`,
 * `deno.jsonc` and `import_map.json` beside the entry point, then those of all functions. Throws ConfigError if a key
 * has the wrong type.
 */
export function readFunctionSettings(config: Config, name: string): FunctionSettings | null {
  const all = join(config.dir, 'functions')
  const section = sectionOf(config, name)
  if (!isFunctionName(name) || (section === null && !foldersOf(all).includes(name))) return null
  const at = <T extends string | boolean | string[]>(key: string, fallback: T) =>
    config.at(`functions.${name}.${key}`, fallback)
  const lookedUp: string[] = []
  const given = at('entrypoint', '')
  const folder = join(all, name)
  const entrypoint =
    given === ''
      ? firstFile(
          entryNames.map((file) => join(folder, file)),
          lookedUp,
        )
      : config.resolveFile(`functions.${name}.entrypoint`, given, config.dir)
  // A folder without an entry point is no function, unless config.toml names it.
  if (entrypoint === null && section === null) return null
  const entry = entrypoint ?? join(folder, entryNames[0]!)
  const importMap = at('import_map', '')
  return {
    name,
    enabled: at('enabled', true),
    verifyJwt: at('verify_jwt', true),
    entrypoint: entry,
    importMap:
      importMap === ''
        ? firstFile(
            [
              ...['deno.json', 'deno.jsonc', 'import_map.json'].map((file) => join(dirname(entry), file)),
              // The CLI's fallback, then what Deno itself would find.
              ...['import_map.json', 'deno.json', 'deno.jsonc'].map((file) => join(all, file)),
            ],
            lookedUp,
          )
        : config.resolveFile(`functions.${name}.import_map`, importMap, config.dir),
    staticFiles: at('static_files', []).map((glob) =>
      config.resolveFile(`functions.${name}.static_files`, glob, config.dir),
    ),
    lookedUp,
  }
}

/** All functions: folders with an entry point, and those that config.toml names. Sorted by name. */
export function listFunctionSettings(config: Config): FunctionSettings[] {
  const { functions } = config.tree
  const named = functions !== null && typeof functions === 'object' ? Object.keys(functions) : []
  const names = [...new Set([...foldersOf(join(config.dir, 'functions')), ...named])]
  return names
    .map((name) => readFunctionSettings(config, name))
    .filter((settings) => settings !== null)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
