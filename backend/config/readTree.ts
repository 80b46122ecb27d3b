import { nearestName } from './nearestName.ts'
import { ConfigError } from './ConfigError.ts'
import { isTable, type ConfigTree } from './configTree.ts'
import type { Environment } from './environment.ts'
import { knownKeys } from './knownKeys.ts'
import { isSecretKey, type KnownKey } from './KnownKey.ts'
import { isOptional } from './disableUnconfigured.ts'

/** The known names in a table; a `KnownKey` for values. */
type Names = Map<string, Names | KnownKey>

function buildNames(): Names {
  const root: Names = new Map()
  for (const [path, key] of Object.entries(knownKeys)) {
    const parts = path.split('.')
    let names = root
    for (const part of parts.slice(0, -1)) {
      if (!names.has(part)) names.set(part, new Map())
      names = names.get(part) as Names
    }
    names.set(parts.at(-1)!, key)
  }
  // A remote overrides any key for the hosted branch of that name.
  root.set('remotes', new Map([['*', new Map(root)]]))
  return root
}

const root = buildNames()

/** Problems in a file that are logged as warnings. */
export interface Findings {
  /** Paths of unknown keys, with a suggestion as the end of a sentence. */
  unknown: { path: string; suggestion: string }[]
  /** Paths of unsupported keys that are set, by reason. */
  unsupported: Map<string, string[][]>
  /** Unset variables that supported keys refer to, each with the path of the first key. */
  unset: Map<string, string>
}

export interface ReadTree {
  tree: ConfigTree
  findings: Findings
}

/**
 * Replaces `env(NAME)` and converts each value to the type of its key, like the official CLI ("true" is true, "a,b" is a
 * list), and collects findings. Throws ConfigError if a value can't be converted.
 * @param describe returns the file and the line of a path, or the environment variable
 */
export function readTree(
  parsed: ConfigTree,
  describe: (path: string) => string,
  environment: Environment,
): ReadTree {
  const findings: Findings = { unknown: [], unsupported: new Map(), unset: new Map() }

  const typeError = (path: string, expected: string, value: unknown): ConfigError => {
    const found = isSecretKey(path) ? '' : `, not ${JSON.stringify(value)}`
    return new ConfigError(`${describe(path)}: ${path} must be ${expected}${found}`)
  }

  const readValue = (value: unknown, path: string[], key: KnownKey, isSilenced: boolean): unknown => {
    const isDefault = key.defaults?.some((usual) => JSON.stringify(usual) === JSON.stringify(value)) === true
    if (key.unsupported !== undefined && !isDefault && !isSilenced) {
      findings.unsupported.set(key.unsupported, [...(findings.unsupported.get(key.unsupported) ?? []), path])
    }
    const resolved = resolve(value, environment, (name) => {
      if (key.unsupported !== undefined || isSilenced || findings.unset.has(name)) return
      // disableUnconfigured reports the variables of these tables.
      if (isOptional(path.slice(0, -1))) return
      findings.unset.set(name, path.join('.'))
    })
    if (key.unsupported === undefined && isUnset(resolved) && !keepsReference(path)) {
      return valueWhenUnset[path.join('.')]
    }
    const converted = convert(resolved, key.type)
    // PostgreSQL stores no text with this character.
    if (key.unsupported === undefined && [converted].flat().some((text) => String(text).includes('\0')))
      throw typeError(path.join('.'), `${typeNames[key.type]} without the character U+0000`, value)
    if (key.type === 'strings' && Array.isArray(converted)) return converted.filter((item) => !isUnset(item))
    if (converted !== undefined || key.unsupported !== undefined) return converted ?? resolved
    // Handled by disableUnconfigured, after the files are merged: the other one may have the value.
    if (isUnset(resolved) && isOptional(path.slice(0, -1))) return resolved
    // A protection stays enabled.
    if (isUnset(resolved) && path.at(-1) === 'enabled') return true
    if (isUnset(resolved)) return undefined
    throw typeError(path.join('.'), typeNames[key.type], value)
  }

  const walk = (table: ConfigTree, path: string[], names: Names, isSilenced: boolean): ConfigTree => {
    // The other keys of a disabled table have no effect anywhere.
    const isIgnored = isSilenced || isDisabled(table['enabled'], environment)
    const entries = Object.entries(table).map(([name, value]) => {
      const childPath = [...path, name]
      const known = names.get(name) ?? names.get('*')
      if (known === undefined) {
        findings.unknown.push({ path: childPath.join('.'), suggestion: suggest(childPath, names) })
        return [name, resolve(value, environment)]
      }
      if (!(known instanceof Map))
        return [name, readValue(value, childPath, known, name === 'enabled' ? isSilenced : isIgnored)]
      if (isTable(value)) return [name, walk(value, childPath, known, isIgnored || name === 'remotes')]
      throw typeError(childPath.join('.'), 'a table', value)
    })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }

  return { tree: walk(parsed, [], root, false), findings }
}

const envPattern = /^env\((.*)\)$/

const isUnset = (value: unknown): boolean => typeof value === 'string' && envPattern.test(value)

/**
 * What a key means whose variable is not set, where its default would admit more than the owner wants. Other keys then
 * have their defaults.
 */
const valueWhenUnset: Record<string, boolean | undefined> = {
  'auth.enable_signup': false,
  'auth.email.enable_signup': false,
  'auth.sms.enable_signup': false,
  'auth.email.enable_confirmations': true,
  'auth.email.double_confirm_changes': true,
  'auth.email.secure_password_change': true,
  'auth.sms.enable_confirmations': true,
}

/**
 * Whether the text `env(NAME)` stays if the variable is not set: the code that reads these keys refuses what they
 * protect, or names the secret that is missing.
 */
function keepsReference(path: string[]): boolean {
  const name = path.join('.')
  return (
    isOptional(path.slice(0, -1)) ||
    /^(db\.vault|edge_runtime\.secrets|auth\.captcha|auth\.hook)\./.test(name)
  )
}

function isDisabled(enabled: unknown, environment: Environment): boolean {
  return convert(resolve(enabled, environment), 'boolean') === false
}

/** Replaces `env(NAME)` by the variable's value; if it is unset, the text stays. */
function resolve(value: unknown, environment: Environment, onUnset?: (name: string) => void): unknown {
  if (typeof value === 'string') {
    const name = envPattern.exec(value)?.[1]
    if (name === undefined) return value
    const found = environment(name)
    if (found === undefined) onUnset?.(name)
    return found ?? value
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, environment, onUnset))
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, resolve(inner, environment, onUnset)]),
  )
}

const typeNames: Record<KnownKey['type'], string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  strings: 'a list of strings',
  duration: 'a duration such as "1m"',
  size: 'a size such as "50MiB"',
  any: 'anything',
}

/** Converts the value to the type, or returns undefined if that is impossible. */
function convert(value: unknown, type: KnownKey['type']): unknown {
  switch (type) {
    case 'any':
      return value
    case 'boolean':
      if (typeof value === 'boolean') return value
      return typeof value === 'string' && /^(true|false)$/i.test(value)
        ? value.toLowerCase() === 'true'
        : undefined
    case 'number':
      if (typeof value === 'number') return value
      return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
    case 'strings':
      if (typeof value === 'string') return value === '' ? [] : value.split(',').map((item) => item.trim())
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
    case 'duration':
      return typeof value === 'string' ? value : undefined
    default:
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      return typeof value === 'string' ? value : undefined
  }
}

/** A suggestion for an unknown path. */
function suggest(path: string[], siblings: Names): string {
  const name = path.at(-1)!
  const near = nearestName(name, siblings.keys())
  if (near !== null && near !== '*') return ` (did you mean ${[...path.slice(0, -1), near].join('.')}?)`
  const elsewhere = Object.keys(knownKeys).filter(
    (known) => known.endsWith(`.${name}`) && !known.includes('*'),
  )
  const same = elsewhere.find((known) => known.split('.')[0] === path[0]) ?? elsewhere[0]
  return same === undefined || name === 'enabled' ? '' : ` (did you mean ${same}?)`
}
