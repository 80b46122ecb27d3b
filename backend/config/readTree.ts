import { nearestName } from '../nearestName.ts'
import { ConfigError } from './ConfigError.ts'
import type { Environment } from './environment.ts'
import { knownKeys } from './knownKeys.ts'
import type { KnownKey } from './KnownKey.ts'
import { isDispensable } from './passOver.ts'

export type ConfigTree = Record<string, unknown>

/** Known names below a table; a `KnownKey` where a value is expected. */
type Names = Map<string, Names | KnownKey>

function grow(): Names {
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
  // A remote may set anything that the project may; it is for the hosted branch of that name.
  root.set('remotes', new Map([['*', new Map(root)]]))
  return root
}

const root = grow()

/** What the file says that the reader of a log should know of. */
export interface Findings {
  /** `path: a hint`, for names that nobody knows. */
  unknown: string[]
  /** Paths of set but unserved keys, by the reason. */
  unserved: Map<string, string[][]>
  /** Variables that honoured keys want and nobody has set. */
  unset: Set<string>
}

export interface ReadTree {
  tree: ConfigTree
  findings: Findings
}

export const isTable = (value: unknown): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/**
 * The tree with `env(NAME)` replaced and values brought to the type that each key has, as the official CLI
 * does it ("true" is true, "a,b" is a list); and what is to be told of it. Throws ConfigError where a value
 * can't be brought there.
 */
export function readTree(parsed: ConfigTree, file: string, environment: Environment): ReadTree {
  const findings: Findings = { unknown: [], unserved: new Map(), unset: new Set() }

  const readValue = (value: unknown, path: string[], key: KnownKey, quiet: boolean): unknown => {
    const isUsual = key.usual?.some((usual) => JSON.stringify(usual) === JSON.stringify(value)) === true
    if (key.unserved !== undefined && !isUsual && !quiet) {
      findings.unserved.set(key.unserved, [...(findings.unserved.get(key.unserved) ?? []), path])
    }
    const resolved = resolve(value, environment, (name) => {
      if (key.unserved === undefined && !quiet) findings.unset.add(name)
    })
    const fitted = fit(resolved, key.type)
    if (fitted !== undefined || key.unserved !== undefined) return fitted ?? resolved
    // Passed over later, once it is known that no other file has the value.
    if (isDispensable(path.slice(0, -1)) && envPattern.test(String(resolved))) return resolved
    throw new ConfigError(
      `${file}: ${path.join('.')} must be ${typeNames[key.type]}, not ${JSON.stringify(value)}`,
    )
  }

  const walk = (table: ConfigTree, path: string[], names: Names, quiet: boolean): ConfigTree => {
    // What a table that is switched off holds besides, does nothing anywhere.
    const off = quiet || isOff(table['enabled'], environment)
    return Object.fromEntries(
      Object.entries(table).map(([name, value]) => {
        const here = [...path, name]
        const known = names.get(name) ?? names.get('*')
        if (known === undefined) {
          findings.unknown.push(`${here.join('.')}${hint(here, names)}`)
          return [name, resolve(value, environment)]
        }
        if (!(known instanceof Map))
          return [name, readValue(value, here, known, name === 'enabled' ? quiet : off)]
        if (isTable(value)) return [name, walk(value, here, known, off || name === 'remotes')]
        throw new ConfigError(`${file}: ${here.join('.')} must be a table, not ${JSON.stringify(value)}`)
      }),
    )
  }

  return { tree: walk(parsed, [], root, false), findings }
}

const envPattern = /^env\((.*)\)$/

function isOff(enabled: unknown, environment: Environment): boolean {
  return fit(resolve(enabled, environment), 'boolean') === false
}

/** Replaces `env(NAME)` by the variable's value; where it is unset, the text stays as it is. */
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
  boolean: 'a boolean',
  strings: 'a list of strings',
  duration: 'a duration such as "1m"',
  size: 'a size such as "50MiB"',
  any: 'anything',
}

/** The value as the type asks, or undefined where it is no such thing. */
function fit(value: unknown, type: KnownKey['type']): unknown {
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

/** What somebody who wrote this unknown path may have meant. */
function hint(path: string[], siblings: Names): string {
  const name = path.at(-1)!
  const near = nearestName(name, siblings.keys())
  if (near !== null && near !== '*') return ` (did you mean ${[...path.slice(0, -1), near].join('.')}?)`
  const elsewhere = Object.keys(knownKeys).filter(
    (known) => known.endsWith(`.${name}`) && !known.includes('*'),
  )
  const same = elsewhere.find((known) => known.split('.')[0] === path[0]) ?? elsewhere[0]
  return same === undefined || name === 'enabled' ? '' : ` (there is ${same})`
}
