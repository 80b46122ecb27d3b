import { existsSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PartialResolvedId, Plugin, PluginContext } from 'rolldown'
import type { ImportLog } from './ImportLog.ts'
import { findPackage, type InstalledPackage } from './findPackage.ts'
import { importAdvice } from './importAdvice.ts'
import { mapSpecifier, pathOf, type ImportMap } from './importMap.ts'
import { findJsrPackage, npmNameOf } from './jsrPackage.ts'
import { packageOfUrl } from './packageOfUrl.ts'
import { parsePackageSpecifier, type PackageSpecifier } from './packageSpecifier.ts'
import { satisfiesRange } from './satisfiesRange.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** The `type` of the package that a file is in. */
function typeOf(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type
  const above = dirname(folder)
  return above === folder ? undefined : typeOf(above)
}

/** Whether Node loads the file as CommonJS. */
export function isCommonJs(path: string): boolean {
  const extension = extname(path)
  return extension === '.cjs' || (extension === '.js' && typeOf(dirname(path)) !== 'module')
}

/** One import: as written, as mapped by the import map, and its module. */
interface Import {
  written: string
  mapped: string
  importer: string
}

const emptyModule = '\0linnet:nothing'
const replacement = '\0linnet:stand-in:'
/** Prefix of the path of a CommonJS module that is imported as from a CDN. */
const commonJs = '\0linnet:common:'
/** The target of unresolved imports, so that all of them are reported together. */
const unresolved: PartialResolvedId = { id: 'linnet:absent', external: true }

/** Modules that Node loads itself from their own files, as Deno loads npm packages. They include CommonJS and addons. */
const nodeExtensions = new Set(['.js', '.mjs', '.cjs', '.node'])

/** Whether a file belongs to an installed package. The project itself may be in node_modules, as Linnet's own functions are. */
const isInstalled = (path: string, projectDir: string): boolean =>
  (path.startsWith(`${projectDir}/`) ? path.slice(projectDir.length) : path).includes('/node_modules/')

const readable = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json'])

/**
 * Resolves the imports of a function: its own files, Node's modules, and installed packages. Nothing is fetched: other
 * imports are reported as problems, with file, line and what to do.
 */
export function resolveImports(map: ImportMap, imports: ImportLog): Plugin {
  const problem = (one: Import, sentence: string): PartialResolvedId => {
    const mapped = one.mapped === one.written || one.mapped.startsWith('file:') ? '' : ` ("${one.mapped}")`
    const location = imports.locationOf(one.importer, one.written)
    imports.problems.add(`${location} imports "${one.written}"${mapped}: ${sentence}`)
    return unresolved
  }
  const warn = (one: Import, sentence: string): void => {
    imports.warnings.add(
      `${imports.locationOf(one.importer, one.written)} imports "${one.written}": ${sentence}`,
    )
  }

  async function fromPackage(
    context: PluginContext,
    one: Import,
    { range, subpath }: PackageSpecifier,
    as: string,
    found: InstalledPackage,
  ): Promise<PartialResolvedId> {
    if (!satisfiesRange(found.version, range))
      warn(
        one,
        `${found.name} ${found.version} is installed and was used, although it does not satisfy ${range}.`,
      )
    const importer = join(found.base, 'index.js')
    const resolved = await context.resolve(as + subpath, importer, { skipSelf: true })
    if (resolved === null) return problem(one, `${found.name} ${found.version} has no "${subpath || '.'}".`)
    const isExternal =
      resolved.external ||
      (isInstalled(resolved.id, imports.projectDir) && nodeExtensions.has(extname(resolved.id)))
    if (!isExternal) return { id: resolved.id }
    if (/^https?:/.test(one.mapped) && isCommonJs(resolved.id)) return { id: commonJs + resolved.id }
    return {
      id: isBuiltin(resolved.id) ? resolved.id : pathToFileURL(resolved.id).href,
      external: true,
    }
  }

  function npm(
    context: PluginContext,
    one: Import,
    text: string,
  ): Promise<PartialResolvedId> | PartialResolvedId {
    const specifier = parsePackageSpecifier(text)
    if (specifier === null) return problem(one, 'that is not a package name.')
    const from = dirname(one.importer)
    const found = findPackage(specifier.name, from)
    if (found === null) {
      imports.addMissingPackage(specifier.name, from)
      const spec = specifier.range === '' ? specifier.name : `${specifier.name}@${specifier.range}`
      return problem(one, `it is not installed. Run in the project's folder: npm install ${quoted(spec)}`)
    }
    imports.use({ name: specifier.name, from, found, isJsr: false })
    return fromPackage(context, one, specifier, specifier.name, found)
  }

  function jsr(
    context: PluginContext,
    one: Import,
    text: string,
  ): Promise<PartialResolvedId> | PartialResolvedId {
    const specifier = parsePackageSpecifier(text)
    if (specifier === null || !specifier.name.startsWith('@'))
      return problem(one, 'that is not the name of a JSR package.')
    const from = dirname(one.importer)
    const installed = findJsrPackage(specifier.name, from)
    if (installed === null) {
      imports.addMissingPackage(specifier.name, from)
      const npmName = npmNameOf(specifier.name)
      const spec = specifier.range === '' ? specifier.name : `${specifier.name}@${specifier.range}`
      const run =
        npmName === null ? `npx jsr add ${quoted(spec)}` : `npm install ${npmName} (the same code, from npm)`
      return problem(
        one,
        `it is not installed, and nothing is fetched from JSR. Run in the project's folder: ${run}`,
      )
    }
    imports.use({ name: specifier.name, from, found: installed.found, isJsr: true })
    return fromPackage(context, one, specifier, installed.as, installed.found)
  }

  function address(context: PluginContext, one: Import): Promise<PartialResolvedId> | PartialResolvedId {
    if (replacementFor(one.mapped) !== null) return { id: replacement + one.mapped }
    const specifier = parseUrl(one.mapped) ? packageOfUrl(one.mapped) : null
    if (specifier !== null) {
      const [scheme, text] = [specifier.slice(0, 3), specifier.slice(4)]
      return scheme === 'jsr' ? jsr(context, one, text) : npm(context, one, text)
    }
    const instead =
      importAdvice(one.mapped) ??
      'Import the npm package with the same code, or store the file in supabase/functions/_shared.'
    return problem(one, `nothing is fetched from the network. ${instead}`)
  }

  async function file(context: PluginContext, one: Import): Promise<PartialResolvedId | null> {
    const path = pathOf(one.mapped)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
      if (readable.has(extname(path))) return { id: path }
      return problem(
        one,
        'only TypeScript, JavaScript and JSON can be imported. Name the file in static_files and read it ' +
          'with Deno.readTextFile(new URL(…, import.meta.url)).',
      )
    }
    const guessed = await context.resolve(path, one.importer, { skipSelf: true })
    if (guessed === null || guessed.external || !existsSync(guessed.id)) {
      imports.missing.add(path)
      return problem(one, 'there is no such file.')
    }
    warn(one, `the file is ${guessed.id.slice(dirname(path).length + 1)}; Supabase requires the full name.`)
    return { id: guessed.id }
  }

  function bare(context: PluginContext, one: Import): Promise<PartialResolvedId> | PartialResolvedId {
    const specifier = parsePackageSpecifier(one.mapped)
    const manifest = existsSync(join(dirname(one.importer), 'package.json'))
    if (specifier !== null && !manifest && findPackage(specifier.name, dirname(one.importer)) !== null)
      warn(
        one,
        `it is in no import map. The installed package was used; Supabase requires "npm:${one.mapped}".`,
      )
    return npm(context, one, one.mapped)
  }

  return {
    name: 'linnet:imports',
    resolveId(written, importer) {
      // The entry point is not resolved through links: relative imports start from the link, as in Deno.
      if (importer === undefined) return { id: written }
      if (importer.startsWith(commonJs)) return { id: written, external: true }
      // Virtual modules, and imports of packages.
      if (importer.startsWith('\0') || isInstalled(importer, imports.projectDir)) return null
      if (/^(?:node|data):/.test(written)) return { id: written, external: true }
      const one: Import = { written, mapped: mapSpecifier(map, written, importer), importer }
      const { mapped } = one
      // Type declarations: all templates import those of Supabase's runtime like this.
      if (/\.d\.[cm]?ts(?:\?|$)/.test(mapped)) return { id: emptyModule }
      if (mapped.startsWith('npm:')) return npm(this, one, mapped.slice(4))
      if (mapped.startsWith('jsr:')) return jsr(this, one, mapped.slice(4))
      if (/^https?:/.test(mapped)) return address(this, one)
      if (mapped.startsWith('file:')) return file(this, one)
      if (isBuiltin(mapped)) return { id: mapped.replace(/^(?!node:)/, 'node:'), external: true }
      return bare(this, one)
    },
    load(id) {
      if (id === emptyModule) return ''
      // CDNs expose every export of such a module as a named one, while Node detects only some of them.
      if (id.startsWith(commonJs))
        return `module.exports = require(${JSON.stringify(id.slice(commonJs.length))})`
      return id.startsWith(replacement) ? replacementFor(id.slice(replacement.length)) : null
    },
  }
}

/** Quoted for a shell if it contains special characters. */
const quoted = (text: string): string => (/^[\w@./-]+$/.test(text) ? text : `"${text}"`)

/**
 * Code that replaces small and frequently imported modules of the network, by URL pattern.
 */
const replacements: readonly [pattern: RegExp, code: string][] = [
  // `serve` of std's old HTTP server, which std has replaced by Deno.serve.
  [
    /^https:\/\/deno\.land\/std(?:@[^/]*)?\/http\/(?:server|mod)\.ts$/,
    'export const serve = (handler, options = {}) => Deno.serve(options, handler).finished;',
  ],
]

/** The replacement of the module at that URL; null if there is none. */
function replacementFor(address: string): string | null {
  return replacements.find(([pattern]) => pattern.test(address))?.[1] ?? null
}
