import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'
import { FunctionError } from '../functionTypes.ts'
import { digestOf, isRegularFile, readSource } from './readSource.ts'
import { readCompilerOptions } from './compilerOptions.ts'
import type { FunctionSettings } from './functionSettings.ts'
import { ImportLog } from './ImportLog.ts'
import { noImportMap, readImportMap, type ImportMap } from './importMap.ts'
import { pinImportMeta } from './importMeta.ts'
import { resolveImports } from './resolveImports.ts'

export interface Bundle {
  /** One ES module with an inline source map. Packages are imported from where they are installed. */
  code: string
  /** All sources and configuration files that it was built from. */
  files: string[]
  /** Digests of the bundled files as they were read. */
  digests: Record<string, string>
  imports: ImportLog
}

/** Gives each file an `import.meta` of its own, and applies pragmas for the JSX runtime. */
function prepareSources(entrypoint: string): Plugin {
  return {
    name: 'linnet:sources',
    transform(code, id) {
      if (id.startsWith('\0') || id.endsWith('.json')) return null
      let prepared = code
      // As in TypeScript, an import source implies the automatic runtime.
      if (/@jsxImportSource\s/.test(code) && !/@jsxRuntime\s/.test(code))
        prepared = `/** @jsxRuntime automatic */ ${prepared}`
      if (code.includes('import.meta')) prepared = pinImportMeta(prepared, id, id === entrypoint)
      return prepared === code ? null : { code: prepared, map: null }
    },
  }
}

/** Messages of rolldown about invalid code, as "supabase/functions/a/index.ts:3:5: Unexpected token". */
function messagesOf(error: unknown): string {
  const { errors = [error] } = error as { errors?: unknown[] }
  return errors
    .map((one) => {
      const text = stripVTControlCharacters(String((one as Error).message ?? one))
      const [first = ''] = text.split('\n')
      const location = /\[ (\S+:\d+:\d+) \]/.exec(text)?.[1]
      return `${location === undefined ? '' : `${location}: `}${first.replace(/^\[\w+\] /, '')}`
    })
    .join('\n')
}

/** The code with its source map appended, which names sources by absolute URL, so that the module can be stored anywhere. */
function render({ code, map }: OutputChunk, projectDir: string): string {
  if (map === null) return code
  const { version, names, mappings } = map
  const sources = map.sources.map((source) => pathToFileURL(resolve(projectDir, source)).href)
  const text = Buffer.from(JSON.stringify({ version, sources, names, mappings })).toString('base64')
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${text}\n`
}

function readMap(settings: FunctionSettings, files: string[]): ImportMap {
  return settings.importMap === null ? noImportMap : readImportMap(settings.importMap, files)
}

/**
 * Bundles a function's entry point, and all files of the project that it imports, into one module for Node. Throws
 * FunctionError: `unreadable` for a missing or invalid file, `import` for an import that can't be resolved.
 * @param projectDir the folder that contains `supabase/`; messages name files relative to it
 */
export async function bundleFunction(settings: FunctionSettings, projectDir: string): Promise<Bundle> {
  const { entrypoint } = settings
  const files: string[] = []
  const imports = new ImportLog(projectDir)
  const fail = (kind: 'import' | 'unreadable', message: string): FunctionError =>
    new FunctionError(kind, message, [entrypoint, ...files, ...imports.missing])
  if (!isRegularFile(entrypoint))
    throw fail(
      'unreadable',
      `${relative(projectDir, entrypoint)} is its entry point, and there is no such file.`,
    )
  let map: ImportMap
  let transform
  try {
    map = readMap(settings, files)
    transform = readCompilerOptions(entrypoint, settings.importMap, files)
  } catch (error) {
    const file = relative(projectDir, files.at(-1) ?? entrypoint)
    throw fail('unreadable', `${file} can't be read: ${(error as Error).message}`)
  }
  const digests: Record<string, string> = {}
  // Read here, so that the digest belongs to the bundled text even if the file is saved meanwhile.
  const sources: Plugin = {
    name: 'linnet:read',
    async load(id) {
      if (id.startsWith('\0')) return null
      files.push(id)
      const text = readSource(id).toString()
      digests[id] = digestOf(text)
      return text
    },
  }
  let code: string
  try {
    const bundle = await rolldown({
      input: entrypoint,
      cwd: projectDir,
      platform: 'node',
      // Deno reads none, and the project's may be for its browser code.
      tsconfig: false,
      // Modules imported for their side effects must be evaluated.
      treeshake: false,
      logLevel: 'silent',
      transform,
      resolve: { conditionNames: ['node', 'import', 'default'] },
      plugins: [resolveImports(map, imports), sources, prepareSources(entrypoint)],
    })
    try {
      const { output } = await bundle.generate({
        file: resolve(projectDir, 'module.mjs'),
        format: 'esm',
        codeSplitting: false,
        sourcemap: 'hidden',
      })
      code = render(output[0], projectDir)
    } finally {
      await bundle.close()
    }
  } catch (error) {
    // With missing imports, errors that follow from them are not reported.
    if (imports.problems.size === 0) throw fail('unreadable', messagesOf(error))
    code = ''
  }
  if (imports.problems.size > 0) throw fail('import', imports.sortedProblems().join('\n'))
  return { code, files, digests, imports }
}
