import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { TransformOptions } from 'rolldown'
import { parseJsonc } from './parseJsonc.ts'
import { readSource } from './readSource.ts'

interface CompilerOptions {
  jsx?: string
  jsxImportSource?: string
  jsxFactory?: string
  jsxFragmentFactory?: string
  experimentalDecorators?: boolean
  emitDecoratorMetadata?: boolean
  verbatimModuleSyntax?: boolean
}

/** The `deno.json` with the compiler options of a function: the one with its import map, else the one beside it. */
function findDenoJson(entrypoint: string, importMap: string | null): string | null {
  if (importMap !== null && /^deno\.jsonc?$/i.test(basename(importMap))) return importMap
  const beside = ['deno.json', 'deno.jsonc'].map((name) => join(dirname(entrypoint), name))
  return beside.find((file) => existsSync(file)) ?? null
}

/**
 * Options for compiling the function's TypeScript and JSX, from `compilerOptions` of its `deno.json`. Deno's default for
 * JSX is `React.createElement`. The file that was read is added to `files`. Throws SyntaxError.
 */
export function readCompilerOptions(
  entrypoint: string,
  importMap: string | null,
  files: string[],
): TransformOptions {
  const file = findDenoJson(entrypoint, importMap)
  if (file !== null && !files.includes(file)) files.push(file)
  const tree = file === null ? {} : (parseJsonc(readSource(file).toString()) as Record<string, unknown>)
  const o = (tree['compilerOptions'] ?? {}) as CompilerOptions
  const isAutomatic = o.jsx === undefined ? o.jsxImportSource !== undefined : o.jsx !== 'react'
  return {
    target: 'node20',
    jsx: isAutomatic
      ? { runtime: 'automatic', importSource: o.jsxImportSource ?? 'react' }
      : {
          runtime: 'classic',
          ...(o.jsxFactory === undefined ? {} : { pragma: o.jsxFactory }),
          ...(o.jsxFragmentFactory === undefined ? {} : { pragmaFrag: o.jsxFragmentFactory }),
        },
    decorator: {
      legacy: o.experimentalDecorators === true,
      emitDecoratorMetadata: o.emitDecoratorMetadata === true,
    },
    typescript: { onlyRemoveTypeImports: o.verbatimModuleSyntax === true },
  }
}
