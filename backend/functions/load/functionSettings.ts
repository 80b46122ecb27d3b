import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/loadConfig.ts'
import { isRegularFile } from './readSource.ts'

/** One function as the folder and `[functions.<name>]` of config.toml describe it. */
export interface FunctionSettings {
  name: string
  enabled: boolean
  verifyJwt: boolean
  /** Absolute, whether or not the file is there. */
  entrypoint: string
  /** Absolute; null where it uses none. */
  importMap: string | null
  /** Absolute globs. */
  staticFiles: string[]
  /** Files that would change these settings if they came or went. */
  asked: string[]
}

/** As the Supabase CLI has it; whatever else a folder is called, it is no function. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/

export const isFunctionName = (name: string): boolean => namePattern.test(name)

const entryNames = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'mts'].map((extension) => `index.${extension}`)

/** Names of the folders, exactly as they are written: some file systems would find "Hello" for "hello". */
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

/** The first that exists, or null; all that were looked at go to `asked`. */
function firstFile(candidates: string[], asked: string[]): string | null {
  asked.push(...candidates)
  return candidates.find(isRegularFile) ?? null
}

/**
 * Settings of one function; null where there is none of that name. Precedence is the CLI's: config.toml, then
 * `deno.json`, `deno.jsonc` and `import_map.json` beside the entry point, then the same of all functions.
 * Throws ConfigError where a key has the wrong type.
 */
export function readFunctionSettings(config: Config, name: string): FunctionSettings | null {
  const all = join(config.dir, 'functions')
  const section = sectionOf(config, name)
  if (!isFunctionName(name) || (section === null && !foldersOf(all).includes(name))) return null
  const at = <T extends string | boolean | string[]>(key: string, fallback: T) =>
    config.at(`functions.${name}.${key}`, fallback)
  const asked: string[] = []
  const given = at('entrypoint', '')
  const folder = join(all, name)
  const entrypoint =
    given === ''
      ? firstFile(
          entryNames.map((file) => join(folder, file)),
          asked,
        )
      : resolve(config.dir, given)
  // A folder of assets alone is no function; one that config.toml names must have an entry point.
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
            asked,
          )
        : resolve(config.dir, importMap),
    staticFiles: at('static_files', []).map((glob) => resolve(config.dir, glob)),
    asked,
  }
}

/** Every function: folders with an entry point, and what config.toml names. By name. */
export function listFunctionSettings(config: Config): FunctionSettings[] {
  const { functions } = config.tree
  const named = functions !== null && typeof functions === 'object' ? Object.keys(functions) : []
  const names = [...new Set([...foldersOf(join(config.dir, 'functions')), ...named])]
  return names
    .map((name) => readFunctionSettings(config, name))
    .filter((settings) => settings !== null)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
