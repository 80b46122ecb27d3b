import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { ConfigError } from './ConfigError.ts'
import { findConfigFile } from './configFile.ts'
import { isTable, type ConfigTree, mergeTrees } from './configTree.ts'
import { type Environment, loadEnvironment } from './environment.ts'
import { disableUnconfigured } from './disableUnconfigured.ts'
import { parseJsonc } from './parseJsonc.ts'
import { type Findings, readTree, type ReadTree } from './readTree.ts'

export { ConfigError } from './ConfigError.ts'

/** The contents of `config.toml` (or `config.json`), overridden by `linnet.toml`. `at` reads a value. */
export interface Config {
  tree: ConfigTree
  /** The directory that contains `config.toml`, migrations and functions. */
  dir: string
  /** Sentences to log at the start: unknown keys, keys without effect, unset variables. */
  warnings: string[]
  /** Variables of the process and of the project's `.env` files. */
  environment: Environment
  /**
   * Returns the value at `path` ("auth.email.otp_length"), or `fallback` if it is absent. Throws ConfigError if value
   * and `fallback` have different types.
   */
  at<T extends string | number | boolean | string[]>(path: string, fallback: T): T
}

/**
 * Reads `<dir>/config.toml`, or `config.json` or `config.jsonc` in its place, overridden by `<dir>/linnet.toml`. The official
 * CLI refuses unknown keys, so a project that also uses it has Linnet's own keys in `linnet.toml`. Both files are optional.
 * Throws ConfigError.
 */
export function loadConfig(dir: string): Config {
  const environment = loadEnvironment(dir)
  const file = findConfigFile(dir)
  const [shared, overrides] = [file, join(dir, 'linnet.toml')].map((path) =>
    readTree(parseFile(path), path, environment),
  ) as [ReadTree, ReadTree]
  const tree = mergeTrees(shared.tree, overrides.tree)
  const disabled = disableUnconfigured(tree)
  return {
    tree,
    dir,
    warnings: [...renderFindings(shared.findings, overrides.findings), ...disabled],
    environment,
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
        const expected = Array.isArray(fallback) ? 'a list of strings' : `a ${typeof fallback}`
        throw new ConfigError(`${file}: ${path} must be ${expected}, not ${JSON.stringify(value)}`)
      }
      return value as typeof fallback
    },
  }
}

function parseFile(file: string): ConfigTree {
  if (!existsSync(file)) return {}
  try {
    // Editors on Windows write a byte order mark, which TOML and JSON do not allow.
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
    return file.endsWith('.toml') ? (parse(text) as ConfigTree) : parseJsonTree(text)
  } catch (error) {
    throw new ConfigError(`${file} can't be read: ${reasonOf(error as Error)}`)
  }
}

/** The schema of a JSON file is for editors. */
function parseJsonTree(text: string): ConfigTree {
  const tree = parseJsonc(text)
  if (!isTable(tree)) throw new ConfigError('it must be an object.')
  const { $schema: _, ...rest } = tree
  return rest
}

/**
 * Returns the position and the reason of an error. The surrounding text is left out, since it may contain a password.
 */
function reasonOf(error: Error): string {
  // The message of V8 quotes the text around the error.
  if (error instanceof SyntaxError) return 'it is not valid JSON.'
  if (!(error instanceof TomlError)) return error.message
  const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
  return `line ${error.line}, column ${error.column}: ${reason}.`
}

/** `[table]` if several of its keys are affected, else the key. */
function renderPaths(paths: string[][]): string {
  const tables = new Map<string, string[]>()
  for (const path of paths) {
    const table = path.slice(0, -1).join('.')
    tables.set(table, [...(tables.get(table) ?? []), path.join('.')])
  }
  return [...tables].map(([table, keys]) => (keys.length > 1 ? `[${table}]` : keys[0]!)).join(', ')
}

/** One line for each kind of finding. */
function renderFindings(...files: Findings[]): string[] {
  const unknown = files.flatMap((file) => file.unknown)
  const unsupported = new Map<string, string[][]>()
  for (const [why, paths] of files.flatMap((file) => [...file.unsupported])) {
    unsupported.set(why, [...(unsupported.get(why) ?? []), ...paths])
  }
  const unset = new Set<string>()
  for (const file of files) for (const name of file.unset) unset.add(name)
  const lines: string[] = []
  if (unknown.length > 0) lines.push(`Unknown keys: ${unknown.join(', ')}.`)
  if (unsupported.size > 0) {
    const parts = [...unsupported].map(([why, paths]) => `${renderPaths(paths)} (${why})`)
    lines.push(`These keys have no effect: ${parts.join('; ')}.`)
  }
  if (unset.size > 0) lines.push(`These environment variables are not set: ${[...unset].join(', ')}.`)
  return lines
}
