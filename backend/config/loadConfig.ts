import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { ConfigError } from './ConfigError.ts'
import { findConfigFile } from './configFile.ts'
import { isTable, type ConfigTree, listPaths, mergeTrees, valueAt } from './configTree.ts'
import { type Environment, loadEnvironment } from './environment.ts'
import { disableUnconfigured } from './disableUnconfigured.ts'
import { readEnvironmentKeys, variableOf } from './environmentKeys.ts'
import { findTomlLines } from './findTomlLines.ts'
import { isSecretKey } from './KnownKey.ts'
import { parseJsonc } from './parseJsonc.ts'
import { type Findings, readTree } from './readTree.ts'
import {
  parseSettings,
  readSettingsText,
  settingsFile,
  settingsTree,
  tableWithSecretOf,
  type StoredSettings,
} from './settingsFile.ts'
import { describeSource, nameSource, type Source } from './Source.ts'

export { ConfigError } from './ConfigError.ts'

/**
 * The contents of `config.toml` (or `config.json`), overridden by `linnet.toml`, settings.json and the environment. `at` reads
 * a value.
 */
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
  /** The file or the environment variable that has the value at `path`; null if there is none. */
  sourceOf(path: string): Source | null
  /** Whether a file of the data directory or an environment variable has the value at `path`. */
  isOfInstallation(path: string): boolean
  /** An error about the value at `path` ("must be a number"), which begins with its source. */
  errorAt(path: string, problem: string): ConfigError
  /**
   * The absolute path of the file that the value at `path` names. It is relative to the data directory if a file there
   * contains it, to the working directory if an environment variable does, and otherwise to `base`.
   */
  resolveFile(path: string, value: string, base: string): string
}

/** A file or the environment. Values of later layers override the values of earlier ones. */
interface Layer {
  tree: ConfigTree
  findings: Findings
  isOfInstallation: boolean
  locate(path: string): Source
}

/** The settings of an installation, in its data directory. */
export const installationFile = (dataDir: string): string => join(dataDir, 'linnet.toml')

/**
 * Reads `<dir>/config.toml`, or `config.json` or `config.jsonc` in its place. `<dir>/linnet.toml` overrides it, then
 * `<dataDir>/settings.json`, then `<dataDir>/linnet.toml`, then environment variables such as LINNET_SERVER_PORT. The official
 * CLI refuses unknown keys, so a project that also uses it has Linnet's own keys in `linnet.toml`. All files are optional.
 * Without `dataDir` only the files of the project are read. Throws ConfigError.
 * @param stored settings to use in place of the content of settings.json
 */
export function loadConfig(dir: string, dataDir?: string, stored?: StoredSettings): Config {
  const environment = loadEnvironment(dir)
  const files = [findConfigFile(dir), join(dir, 'linnet.toml')]
  const layers = files.map((file) => readFile(file, environment))
  const warnings: string[] = []
  if (dataDir !== undefined) {
    const variables = readEnvironmentKeys(process.env)
    const settings = settingsTree(stored ?? parseSettings(readSettingsText(dataDir), dataDir))
    const above = [
      { ...readFile(installationFile(dataDir), environment), isOfInstallation: true },
      readLayer(variables.tree, (path) => ({ variable: variableOf(path) }), environment),
    ]
    keepTablesTogether(settings, layers, above)
    // Variables are not replaced: an owner could otherwise read the environment of the server.
    const locateSetting = (): Source => ({ file: settingsFile(dataDir), line: null })
    layers.push(
      readLayer(settings, locateSetting, () => undefined),
      ...above,
    )
    warnings.push(...variables.warnings, ...warnOfReadableSecrets(dataDir))
  }
  const tree = layers.reduce<ConfigTree>((under, layer) => mergeTrees(under, layer.tree), {})
  const layerOf = (path: string): Layer | undefined =>
    layers.findLast((layer) => valueAt(layer.tree, path) !== undefined)
  // A key that is missing has the source of its table.
  const layerOfNearest = (path: string): Layer | undefined =>
    layerOf(path) ?? (path.includes('.') ? layerOfNearest(path.slice(0, path.lastIndexOf('.'))) : undefined)
  const errorAt = (path: string, problem: string): ConfigError => {
    const layer = layerOfNearest(path)
    return new ConfigError(`${layer ? `${describeSource(layer.locate(path))}: ` : ''}${path} ${problem}`)
  }
  return {
    tree,
    dir,
    warnings: [
      ...renderFindings(layers),
      ...warnings,
      ...disableUnconfigured(tree, (path) => describeSource(layerOf(path)!.locate(path))),
    ],
    environment,
    at(path, fallback) {
      const value = valueAt(tree, path)
      if (value === undefined) return fallback
      const fits = Array.isArray(fallback)
        ? Array.isArray(value) && value.every((item) => typeof item === 'string')
        : typeof value === typeof fallback
      if (!fits) {
        const expected = Array.isArray(fallback) ? 'a list of strings' : `a ${typeof fallback}`
        throw errorAt(path, `must be ${expected}${isSecretKey(path) ? '' : `, not ${JSON.stringify(value)}`}`)
      }
      return value as typeof fallback
    },
    sourceOf: (path) => layerOf(path)?.locate(path) ?? null,
    isOfInstallation: (path) => layerOf(path)?.isOfInstallation === true,
    errorAt,
    resolveFile(path, value, base) {
      if (isAbsolute(value)) return value
      const layer = layerOf(path)
      if (layer?.isOfInstallation !== true) return resolve(base, value)
      const source = layer.locate(path)
      return 'file' in source ? resolve(dirname(source.file), value) : resolve(value)
    },
  }
}

/**
 * Removes the tables with passwords from the settings if a layer above them has them, and otherwise from the layers below.
 */
function keepTablesTogether(settings: ConfigTree, below: Layer[], above: Layer[]): void {
  const tables = new Set(listPaths(settings).flatMap((path) => tableWithSecretOf(path) ?? []))
  for (const table of tables) {
    const isFixed = above.some(({ tree }) => valueAt(tree, table) !== undefined)
    for (const tree of isFixed ? [settings] : below.map((layer) => layer.tree)) {
      const names = table.split('.')
      const parent = valueAt(tree, names.slice(0, -1).join('.'))
      if (isTable(parent)) delete parent[names.at(-1)!]
    }
  }
}

function readFile(file: string, environment: Environment): Layer {
  const { tree, lines } = parseFile(file)
  const locate = (path: string): Source => {
    for (let known = path; known !== ''; known = known.slice(0, Math.max(0, known.lastIndexOf('.')))) {
      const line = lines.get(known)
      if (line !== undefined) return { file, line }
    }
    return { file, line: null }
  }
  return { ...readLayer(tree, locate, environment), isOfInstallation: false }
}

function readLayer(parsed: ConfigTree, locate: Layer['locate'], environment: Environment): Layer {
  const { tree, findings } = readTree(parsed, (path) => describeSource(locate(path)), environment)
  return { tree, findings, isOfInstallation: true, locate }
}

/** A sentence if users of other accounts can read a secret in linnet.toml of the data directory. */
function warnOfReadableSecrets(dataDir: string): string[] {
  const file = installationFile(dataDir)
  const isOpen = (path: string, bit: number): boolean => existsSync(path) && (statSync(path).mode & bit) !== 0
  // Of a directory: whether others may enter it.
  if (!isOpen(file, 0o004) || !isOpen(dataDir, 0o001)) return []
  const { tree, lines } = parseFile(file)
  const secret = listPaths(tree).find((path) => {
    const value = valueAt(tree, path)
    return isSecretKey(path) && value !== '' && !/^env\(.*\)$/.test(String(value))
  })
  if (secret === undefined) return []
  const source = describeSource({ file, line: lines.get(secret) ?? null })
  return [`${source}: every user of this machine can read ${secret}. Run: chmod 600 ${file}`]
}

function parseFile(file: string): { tree: ConfigTree; lines: Map<string, number> } {
  if (!existsSync(file)) return { tree: {}, lines: new Map() }
  try {
    // Editors on Windows write a byte order mark, which TOML and JSON do not allow.
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
    return file.endsWith('.toml')
      ? { tree: parse(text) as ConfigTree, lines: findTomlLines(text) }
      : { tree: parseJsonTree(text), lines: new Map() }
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
  const hint = reason === 'invalid value' ? '. A text needs quotes, such as "text"' : ''
  return `line ${error.line}, column ${error.column}: ${reason}${hint}.`
}

/** `[table]` if several of its keys are affected, else the key; each with its line. */
function renderPaths(paths: string[][], locate: Layer['locate']): string {
  const tables = new Map<string, string[]>()
  for (const path of paths) {
    const table = path.slice(0, -1).join('.')
    tables.set(table, [...(tables.get(table) ?? []), path.join('.')])
  }
  return [...tables]
    .map(([table, keys]) =>
      keys.length > 1
        ? `[${table}]${renderLine(locate(table))}`
        : `${keys[0]!}${renderLine(locate(keys[0]!))}`,
    )
    .join(', ')
}

/** The line as an addition to the name of a key; empty if there is none. */
const renderLine = (source: Source): string =>
  'line' in source && source.line !== null ? ` in line ${source.line}` : ''

/** One sentence for each kind of finding in each file or variable. */
function renderFindings(layers: Layer[]): string[] {
  return layers.flatMap(({ findings, locate }) => {
    const lines: string[] = []
    const unknown = findings.unknown.map(
      ({ path, suggestion }) => `${describeSource(locate(path))}: unknown key ${path}${suggestion}`,
    )
    if (unknown.length > 0) lines.push(`${unknown.join('; ')}.`)
    const [first] = findings.unsupported.values()
    if (first !== undefined) {
      const parts = [...findings.unsupported].map(([why, paths]) => `${renderPaths(paths, locate)} (${why})`)
      lines.push(
        `${nameSource(locate(first[0]!.join('.')))}: these keys have no effect: ${parts.join('; ')}.`,
      )
    }
    for (const [name, path] of findings.unset)
      lines.push(
        `${describeSource(locate(path))}: ${path} names the environment variable ${name}, which is not set.`,
      )
    return lines
  })
}
