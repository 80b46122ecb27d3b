import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseJsonc } from './parseJsonc.ts'
import { readSource } from './readSource.ts'

/** Specifiers and their targets; paths are resolved to file: URLs. */
type Mapping = Map<string, string>

export interface ImportMap {
  imports: Mapping
  /** By the URL of the scope, the longest first. */
  scopes: [string, Mapping][]
}

export const noImportMap: ImportMap = { imports: new Map(), scopes: [] }

const isPath = (text: string): boolean => /^\.{0,2}\//.test(text)

function resolvePath(text: string, base: string): string {
  return isPath(text) ? new URL(text, base).href : text
}

function mappingOf(value: unknown, base: string): Mapping {
  const mapping: Mapping = new Map()
  for (const [key, target] of Object.entries(value ?? {})) {
    if (typeof target === 'string') mapping.set(resolvePath(key, base), resolvePath(target, base))
  }
  return mapping
}

interface MapFile {
  imports?: unknown
  scopes?: unknown
  /** A `deno.json` may name another file instead of containing a map. */
  importMap?: unknown
}

const isEmpty = (value: unknown): boolean => Object.keys(value ?? {}).length === 0

/**
 * Reads an import map, or the one that a `deno.json` contains or names. All files that were read are added to `files`.
 * Throws SyntaxError, or the error of the file system.
 */
export function readImportMap(file: string, files: string[]): ImportMap {
  if (files.includes(file)) throw new Error('it names itself as its import map')
  files.push(file)
  const tree = (parseJsonc(readSource(file).toString()) ?? {}) as MapFile
  if (
    /^deno\.jsonc?$/i.test(basename(file)) &&
    isEmpty(tree.imports) &&
    isEmpty(tree.scopes) &&
    typeof tree.importMap === 'string' &&
    tree.importMap !== ''
  ) {
    return readImportMap(resolve(dirname(file), tree.importMap), files)
  }
  const base = pathToFileURL(file).href
  const scopes = Object.entries((tree.scopes ?? {}) as Record<string, unknown>)
    .map(([scope, value]): [string, Mapping] => [new URL(scope, base).href, mappingOf(value, base)])
    .sort(([a], [b]) => b.length - a.length)
  return { imports: mappingOf(tree.imports, base), scopes }
}

/** The target of the exact key, else of the longest key that ends in / and is a prefix. */
function lookUp(mapping: Mapping, specifier: string): string | null {
  const exact = mapping.get(specifier)
  if (exact !== undefined) return exact
  let best: string | null = null
  for (const key of mapping.keys()) {
    // In Deno "a": "npm:a@1" also maps "a/sub".
    const matches =
      specifier.startsWith(key) && (key.endsWith('/') || /^(?:npm|jsr):/.test(mapping.get(key)!))
    const whole = matches && (key.endsWith('/') || specifier[key.length] === '/')
    if (whole && key.length > (best?.length ?? 0)) best = key
  }
  return best === null ? null : mapping.get(best)! + specifier.slice(best.length)
}

/**
 * The target of `specifier` in the module at path `importer`; the specifier itself if it is not mapped. Paths are
 * returned as file: URLs.
 */
export function mapSpecifier(map: ImportMap, specifier: string, importer: string): string {
  const from = pathToFileURL(importer).href
  const resolved = resolvePath(specifier, from)
  for (const [scope, mapping] of map.scopes) {
    if (scope !== from && !(scope.endsWith('/') && from.startsWith(scope))) continue
    const target = lookUp(mapping, resolved)
    if (target !== null) return target
  }
  return lookUp(map.imports, resolved) ?? resolved
}

/** The path of a file: URL. */
export const pathOf = (url: string): string => fileURLToPath(url)
