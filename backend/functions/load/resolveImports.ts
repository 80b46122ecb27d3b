import { existsSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PartialResolvedId, Plugin, PluginContext } from 'rolldown'
import { alternativeTo } from './alternatives.ts'
import { findPackage, type InstalledPackage } from './findPackage.ts'
import type { ImportLedger } from './ImportLedger.ts'
import { isCommonJs } from './isCommonJs.ts'
import { mapSpecifier, pathOf, type ImportMap } from './importMap.ts'
import { findJsrPackage, npmNameOf } from './jsrPackage.ts'
import { packageOfUrl } from './packageOfUrl.ts'
import { parsePackageSpecifier, type PackageSpecifier } from './packageSpecifier.ts'
import { satisfiesRange } from './satisfiesRange.ts'
import { standInFor } from './standIns.ts'

/** One import: as written, as the import map turns it, and where it stands. */
interface Import {
  written: string
  asked: string
  importer: string
}

const nothing = '\0linnet:nothing'
const standIn = '\0linnet:stand-in:'
/** Before the path of a CommonJS module that is imported as a CDN would serve it. */
const common = '\0linnet:common:'
/** Where an import that can't be had leads, so that all of them are found in one go. */
const absent: PartialResolvedId = { id: 'linnet:absent', external: true }

/** Node runs these itself, as Deno runs npm packages: with their own files beside them, CommonJS and addons too. */
const isForNode = (path: string): boolean =>
  path.includes('/node_modules/') && ['.js', '.mjs', '.cjs', '.node'].includes(extname(path))

const readable = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json'])

/**
 * Finds what a function imports: its own files, Node's modules, and packages that are installed. Nothing is
 * fetched: what would have to be becomes a problem in the ledger, with file and line and what to do.
 */
export function resolveImports(map: ImportMap, ledger: ImportLedger): Plugin {
  const problem = (one: Import, sentence: string): PartialResolvedId => {
    const mapped = one.asked === one.written || one.asked.startsWith('file:') ? '' : ` ("${one.asked}")`
    const place = ledger.placeOf(one.importer, one.written)
    ledger.problems.add(`${place} imports "${one.written}"${mapped}: ${sentence}`)
    return absent
  }
  const warn = (one: Import, sentence: string): void => {
    ledger.warnings.add(`${ledger.placeOf(one.importer, one.written)} imports "${one.written}": ${sentence}`)
  }

  async function fromPackage(
    context: PluginContext,
    one: Import,
    { range, subpath }: PackageSpecifier,
    as: string,
    found: InstalledPackage,
  ): Promise<PartialResolvedId> {
    if (!satisfiesRange(found.version, range))
      warn(one, `${found.name} ${found.version} is installed and was taken, though it is not ${range}.`)
    const importer = join(found.base, 'index.js')
    const resolved = await context.resolve(as + subpath, importer, { skipSelf: true })
    if (resolved === null) return problem(one, `${found.name} ${found.version} has no "${subpath || '.'}".`)
    const isNodes = resolved.external || isForNode(resolved.id)
    if (!isNodes) return { id: resolved.id }
    if (/^https?:/.test(one.asked) && isCommonJs(resolved.id)) return { id: common + resolved.id }
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
    const wanted = parsePackageSpecifier(text)
    if (wanted === null) return problem(one, 'that names no package.')
    const from = dirname(one.importer)
    const found = findPackage(wanted.name, from)
    if (found === null) {
      ledger.expectPackage(wanted.name, from)
      const spec = wanted.range === '' ? wanted.name : `${wanted.name}@${wanted.range}`
      return problem(one, `it is not installed. Run in the project's folder: npm install ${quoted(spec)}`)
    }
    ledger.use({ name: wanted.name, from, found, isJsr: false })
    return fromPackage(context, one, wanted, wanted.name, found)
  }

  function jsr(
    context: PluginContext,
    one: Import,
    text: string,
  ): Promise<PartialResolvedId> | PartialResolvedId {
    const wanted = parsePackageSpecifier(text)
    if (wanted === null || !wanted.name.startsWith('@')) return problem(one, 'that names no package of JSR.')
    const from = dirname(one.importer)
    const installed = findJsrPackage(wanted.name, from)
    if (installed === null) {
      ledger.expectPackage(wanted.name, from)
      const npmName = npmNameOf(wanted.name)
      const spec = wanted.range === '' ? wanted.name : `${wanted.name}@${wanted.range}`
      const run =
        npmName === null ? `npx jsr add ${quoted(spec)}` : `npm install ${npmName} (the same code, from npm)`
      return problem(
        one,
        `it is not installed, and nothing is fetched from JSR. Run in the project's folder: ${run}`,
      )
    }
    ledger.use({ name: wanted.name, from, found: installed.found, isJsr: true })
    return fromPackage(context, one, wanted, installed.as, installed.found)
  }

  function address(context: PluginContext, one: Import): Promise<PartialResolvedId> | PartialResolvedId {
    if (standInFor(one.asked) !== null) return { id: standIn + one.asked }
    const specifier = URL.canParse(one.asked) ? packageOfUrl(one.asked) : null
    if (specifier !== null) {
      const [scheme, text] = [specifier.slice(0, 3), specifier.slice(4)]
      return scheme === 'jsr' ? jsr(context, one, text) : npm(context, one, text)
    }
    const instead =
      alternativeTo(one.asked) ??
      'Import an npm package of the same, or keep the file in supabase/functions/_shared.'
    return problem(one, `nothing is fetched from the network. ${instead}`)
  }

  async function file(context: PluginContext, one: Import): Promise<PartialResolvedId | null> {
    const path = pathOf(one.asked)
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
      ledger.missing.add(path)
      return problem(one, 'there is no such file.')
    }
    warn(one, `the file is ${guessed.id.slice(dirname(path).length + 1)}; Supabase wants that name in full.`)
    return { id: guessed.id }
  }

  function bare(context: PluginContext, one: Import): Promise<PartialResolvedId> | PartialResolvedId {
    const wanted = parsePackageSpecifier(one.asked)
    const manifest = existsSync(join(dirname(one.importer), 'package.json'))
    if (wanted !== null && !manifest && findPackage(wanted.name, dirname(one.importer)) !== null)
      warn(one, `no import map has it. It was found installed; Supabase wants "npm:${one.asked}".`)
    return npm(context, one, one.asked)
  }

  return {
    name: 'linnet:imports',
    resolveId(written, importer) {
      // The entry point where it stands, even by a link: from there it names its neighbours, as in Deno.
      if (importer === undefined) return { id: written }
      if (importer.startsWith(common)) return { id: written, external: true }
      // What we made ourselves, and what a package's own sources import.
      if (importer.startsWith('\0') || importer.includes('/node_modules/')) return null
      if (/^(?:node|data):/.test(written)) return { id: written, external: true }
      const one: Import = { written, asked: mapSpecifier(map, written, importer), importer }
      const { asked } = one
      // Types alone: every template imports those of Supabase's runtime so.
      if (/\.d\.[cm]?ts(?:\?|$)/.test(asked)) return { id: nothing }
      if (asked.startsWith('npm:')) return npm(this, one, asked.slice(4))
      if (asked.startsWith('jsr:')) return jsr(this, one, asked.slice(4))
      if (/^https?:/.test(asked)) return address(this, one)
      if (asked.startsWith('file:')) return file(this, one)
      if (isBuiltin(asked)) return { id: asked.replace(/^(?!node:)/, 'node:'), external: true }
      return bare(this, one)
    },
    load(id) {
      if (id === nothing) return ''
      // Those CDNs make every name of such a module an import of its own, where Node finds some of them alone.
      if (id.startsWith(common)) return `module.exports = require(${JSON.stringify(id.slice(common.length))})`
      return id.startsWith(standIn) ? standInFor(id.slice(standIn.length)) : null
    },
  }
}

/** For a shell, where a range has signs of its own. */
const quoted = (text: string): string => (/^[\w@./-]+$/.test(text) ? text : `"${text}"`)
