import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { ConfigError } from './ConfigError.ts'
import { loadEnvironment, type Environment } from './environment.ts'
import { passOver } from './passOver.ts'
import { readTree, type ConfigTree, type ReadTree } from './readTree.ts'
import { mergeTrees } from './mergeTrees.ts'
import { renderFindings } from './renderFindings.ts'

export { ConfigError } from './ConfigError.ts'

/** A `config.toml` as read, and `linnet.toml` above it; sections are read through `at`. */
export interface Config {
  tree: ConfigTree
  /** The folder that holds `config.toml`, migrations and functions. */
  dir: string
  /** Sentences for a start: keys that nobody knows or that change nothing here, variables that are not set. */
  remarks: string[]
  /** Variables of the process and of the project's `.env` files. */
  environment: Environment
  /**
   * The value at `path` ("auth.email.otp_length") when it has the type of `fallback`, else `fallback`
   * where it is absent. Throws ConfigError where its type is another.
   */
  at<T extends string | number | boolean | string[]>(path: string, fallback: T): T
}

/**
 * Reads `<dir>/config.toml`, and above it `<dir>/linnet.toml`: the official CLI refuses a config.toml with keys that
 * it doesn't know, so that a project which moves between homes keeps those of this one apart. A missing file says
 * nothing. Throws ConfigError on bad TOML.
 */
export function loadConfig(dir: string): Config {
  const environment = loadEnvironment(dir)
  const [shared, own] = ['config.toml', 'linnet.toml'].map((name) => {
    const file = join(dir, name)
    return readTree(parseFile(file), file, environment)
  }) as [ReadTree, ReadTree]
  const tree = mergeTrees(shared.tree, own.tree)
  const passedOver = passOver(tree)
  const file = join(dir, 'config.toml')
  return {
    tree,
    dir,
    remarks: [...renderFindings(shared.findings, own.findings), ...passedOver],
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
        const wanted = Array.isArray(fallback) ? 'a list of strings' : `a ${typeof fallback}`
        throw new ConfigError(`${file}: ${path} must be ${wanted}, not ${JSON.stringify(value)}`)
      }
      return value as typeof fallback
    },
  }
}

function parseFile(file: string): ConfigTree {
  if (!existsSync(file)) return {}
  try {
    // Editors of Windows leave a mark in front that TOML has no place for.
    return parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as ConfigTree
  } catch (error) {
    throw new ConfigError(`${file} can't be read: ${reasonOf(error as Error)}`)
  }
}

/** The place and the reason alone: what stands around it in the file may be a password. */
function reasonOf(error: Error): string {
  if (!(error instanceof TomlError)) return error.message
  const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
  return `line ${error.line}, column ${error.column}: ${reason}.`
}
