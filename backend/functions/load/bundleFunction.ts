import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'
import { FunctionError } from '../functionSeam.ts'
import { digestOf } from './digestOf.ts'
import { readCompilerOptions } from './compilerOptions.ts'
import type { FunctionSettings } from './functionSettings.ts'
import { ImportLedger } from './ImportLedger.ts'
import { noImportMap, readImportMap, type ImportMap } from './importMap.ts'
import { pinImportMeta } from './importMeta.ts'
import { isRegularFile, readSource } from './readSource.ts'
import { resolveImports } from './resolveImports.ts'

export interface Bundle {
  /** One ES module with its source map inside. Packages are imported from where they are installed. */
  code: string
  /** Every file that went into it, or said how. */
  files: string[]
  /** Of those that were bundled, as they were read. */
  digests: Record<string, string>
  ledger: ImportLedger
}

/** Each file keeps an `import.meta` of its own, and a pragma that names the JSX runtime is heard. */
function prepareSources(entrypoint: string): Plugin {
  return {
    name: 'linnet:sources',
    transform(code, id) {
      if (id.startsWith('\0') || id.endsWith('.json')) return null
      let prepared = code
      // As in TypeScript, naming a source asks for the automatic runtime.
      if (/@jsxImportSource\s/.test(code) && !/@jsxRuntime\s/.test(code))
        prepared = `/** @jsxRuntime automatic */ ${prepared}`
      if (code.includes('import.meta')) prepared = pinImportMeta(prepared, id, id === entrypoint)
      return prepared === code ? null : { code: prepared, map: null }
    },
  }
}

/** What rolldown says of broken code, as "supabase/functions/a/index.ts:3:5: Unexpected token". */
function sentencesOf(error: unknown): string {
  const { errors = [error] } = error as { errors?: unknown[] }
  return errors
    .map((one) => {
      const text = stripVTControlCharacters(String((one as Error).message ?? one))
      const [first = ''] = text.split('\n')
      const place = /\[ (\S+:\d+:\d+) \]/.exec(text)?.[1]
      return `${place === undefined ? '' : `${place}: `}${first.replace(/^\[\w+\] /, '')}`
    })
    .join('\n')
}

/** The code with its source map behind it, which names sources by their whole address: the module may lie anywhere. */
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
 * Turns a function's entry point, and all that it imports of the project's own, into one module for Node.
 * Throws FunctionError: `unreadable` for a file that is missing or broken, `import` for what can't be had.
 * @param projectDir the folder that holds `supabase/`: sentences name files from there
 */
export async function bundleFunction(settings: FunctionSettings, projectDir: string): Promise<Bundle> {
  const { entrypoint } = settings
  const files: string[] = []
  const ledger = new ImportLedger(projectDir)
  const fail = (kind: 'import' | 'unreadable', message: string): FunctionError =>
    new FunctionError(kind, message, [entrypoint, ...files, ...ledger.missing])
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
  // Read here, so that what was bundled and what is kept of it are the same words, whoever saves meanwhile.
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
      // Deno reads none, and the project's may be for its browser part.
      tsconfig: false,
      // A module imported for what it does must do it.
      treeshake: false,
      logLevel: 'silent',
      transform,
      resolve: { conditionNames: ['node', 'import', 'default'] },
      plugins: [resolveImports(map, ledger), sources, prepareSources(entrypoint)],
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
    // With imports missing, what follows from it is no news.
    if (ledger.problems.size === 0) throw fail('unreadable', sentencesOf(error))
    code = ''
  }
  if (ledger.problems.size > 0) throw fail('import', ledger.sortedProblems().join('\n'))
  return { code, files, digests, ledger }
}
