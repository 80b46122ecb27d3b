import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import { FunctionError } from '../functionTypes.ts'
import { bundleFunction } from './bundleFunction.ts'
import { readFunctionSettings } from './functionSettings.ts'

let project: string

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'linnet-imports-')))
})
afterEach(() => rmSync(project, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

function install(folder: string, version: string, code: string, manifest: object = {}): void {
  write({
    [`${folder}/package.json`]: JSON.stringify({
      name: folder.replace(/^.*node_modules\//, ''),
      version,
      type: 'module',
      ...manifest,
    }),
    [`${folder}/index.js`]: code,
  })
}

/** Bundles a function of these words. */
async function bundle(code: string) {
  write({ 'supabase/functions/hello/index.ts': code })
  const config = loadConfig(join(project, 'supabase'))
  return bundleFunction(readFunctionSettings(config, 'hello')!, project)
}

/** The default export of a function of these words, and what was warned of. */
async function run(code: string): Promise<{ value: unknown; warnings: string[] }> {
  const bundled = await bundle(code)
  // In its own place each time: a module is read once.
  const path = `elsewhere/${crypto.randomUUID()}.mjs`
  write({ [path]: bundled.code })
  const { default: value } = (await import(pathToFileURL(join(project, path)).href)) as { default: unknown }
  return { value, warnings: [...bundled.imports.warnings] }
}

async function problemsOf(code: string): Promise<string[]> {
  const error: unknown = await bundle(code).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(FunctionError)
  expect((error as FunctionError).kind).toBe('import')
  return (error as FunctionError).message.split('\n')
}

describe('packages', () => {
  test.each([
    ['npm:thing', 1],
    ['npm:thing@^1.2', 1],
    ['npm:/thing@1/sub', 'sub'],
    ['npm:@scope/thing@1', 'scoped'],
    ['https://esm.sh/thing@1.2.3?target=deno', 1],
    ['https://cdn.jsdelivr.net/npm/@scope/thing@1/+esm', 'scoped'],
    ['jsr:@jsrs/one@1', 'from jsr'],
    ['jsr:@jsrs/two@^1', 'alias'],
    ['npm:common', { a: 1 }],
  ])('%s is the installed one', async (specifier, value) => {
    install('node_modules/thing', '1.2.3', 'export default 1', {
      exports: { '.': './index.js', './sub': './sub.js' },
    })
    write({ 'node_modules/thing/sub.js': 'export default "sub"' })
    install('node_modules/@scope/thing', '1.0.0', 'export default "scoped"')
    install('node_modules/@jsr/jsrs__one', '1.0.0', 'export default "from jsr"')
    install('node_modules/@jsrs/two', '1.0.0', 'export default "alias"', { name: '@jsr/jsrs__two' })
    install('node_modules/common', '1.0.0', 'module.exports = { a: 1 }', { type: 'commonjs' })
    expect(await run(`import given from ${JSON.stringify(specifier)}\nexport default given`)).toEqual({
      value,
      warnings: [],
    })
  })

  test('the package of the nearest folder is used', async () => {
    install('node_modules/thing', '1.0.0', 'export default "project"')
    const code = 'export { default } from "npm:thing"'
    expect((await run(code)).value).toBe('project')
    install('supabase/functions/hello/node_modules/thing', '2.0.0', 'export default "function"')
    expect((await run(code)).value).toBe('function')
  })

  test('supabase-js is available without installation, under each of its names', async () => {
    const { value, warnings } = await run(`
      import { createClient } from 'npm:@supabase/supabase-js@2'
      import { createClient as two } from 'jsr:@supabase/supabase-js@2'
      import { createClient as three } from 'https://esm.sh/@supabase/supabase-js@2'
      import { Hono } from 'jsr:@hono/hono'
      export default [createClient === two, two === three, typeof Hono]`)
    expect(value).toEqual([true, true, 'function'])
    expect(warnings).toEqual([])
  })

  test('another version than the requested one is used, with a warning', async () => {
    install('node_modules/thing', '3.0.0', 'export default 3')
    const { value, warnings } = await run('\nimport a from "npm:thing@^2"\nexport default a')
    expect(value).toBe(3)
    expect(warnings).toEqual([
      'supabase/functions/hello/index.ts:2 imports "npm:thing@^2": thing 3.0.0 is installed and was used, although it does not satisfy ^2.',
    ])
  })

  test('a missing export of an installed package is a problem', async () => {
    install('node_modules/thing', '1.0.0', '', { exports: { '.': './index.js' } })
    expect(await problemsOf('import "npm:thing/nope"')).toEqual([
      'supabase/functions/hello/index.ts:1 imports "npm:thing/nope": thing 1.0.0 has no "/nope".',
    ])
  })
})

test('a CommonJS package has all named exports that a CDN provides', async () => {
  install(
    'node_modules/common',
    '1.0.0',
    'Object.assign(exports, { __esModule: true, default: 1, late: 2 })',
    {
      type: 'commonjs',
    },
  )
  const { value } = await run(
    'import one, { late } from "https://esm.sh/common@1"\nimport { late as again } from "https://esm.sh/common"\n' +
      'export default [one, late, again]',
  )
  expect(value).toEqual([1, 2, 2])
})

test('relative imports of a linked function start at the link', async () => {
  write({
    'elsewhere/shared-function/index.ts': 'export { default } from "../_shared/word.ts"',
    'supabase/functions/_shared/word.ts': 'export default "beside the link"',
  })
  symlinkSync(join(project, 'elsewhere/shared-function'), join(project, 'supabase/functions/hello'))
  expect((await run('export { default } from "../_shared/word.ts"')).value).toBe('beside the link')
})

describe('Node’s own modules, types, the old serve', () => {
  test('with and without node:', async () => {
    const { value } = await run(`
      import { createHash } from 'node:crypto'
      import { Buffer } from 'buffer'
      export default [typeof createHash, Buffer.from('a').toString('hex')]`)
    expect(value).toEqual(['function', '61'])
  })

  test('imports of types only are removed', async () => {
    const { value, warnings } = await run(`
      import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
      import '@supabase/functions-js/edge-runtime.d.ts'
      import 'https://esm.sh/@supabase/functions-js/src/edge-runtime.d.ts'
      import type { A } from 'jsr:@nobody/nothing'
      import { type B } from 'https://example.org/types.ts'
      import { C } from 'npm:not-installed'
      const all: A | B | C | null = null
      export default all`)
    expect(value).toBeNull()
    expect(warnings).toEqual([])
  })

  test('serve of std is Deno.serve', async () => {
    const { value } = await run(`
      const Deno = { serve: (options, handler) => ({ finished: [options.port ?? null, handler()] }) }
      Object.assign(globalThis, { Deno })
      import { serve } from 'https://deno.land/std@0.168.0/http/server.ts'
      export default [serve(() => 'a'), serve(() => 'b', { port: 1 })]`)
    expect(value).toEqual([
      [null, 'a'],
      [1, 'b'],
    ])
  })
})

describe('import maps', () => {
  const files = {
    'supabase/functions/_shared/named.ts': 'export default "shared"',
    'supabase/functions/hello/own.ts': 'export default "own"',
  }
  const code = 'export { default } from "named"'

  test('deno.json, then deno.jsonc, import_map.json, then the one of all functions', async () => {
    write({ ...files, 'supabase/functions/deno.json': '{"imports":{"named":"./hello/own.ts"}}' })
    expect((await run(code)).value).toBe('own')
    write({ 'supabase/functions/import_map.json': '{"imports":{"named":"./_shared/named.ts"}}' })
    expect((await run(code)).value).toBe('shared')
    write({ 'supabase/functions/hello/import_map.json': '{"imports":{"named":"./own.ts"}}' })
    expect((await run(code)).value).toBe('own')
    write({ 'supabase/functions/hello/deno.jsonc': '{"imports":{"named":"../_shared/named.ts"}} // x' })
    expect((await run(code)).value).toBe('shared')
    write({ 'supabase/functions/hello/deno.json': '{"imports":{"named":"./own.ts"}}' })
    expect((await run(code)).value).toBe('own')
    write({
      'supabase/config.toml': '[functions.hello]\nimport_map = "./functions/import_map.json"',
    })
    expect((await run(code)).value).toBe('shared')
  })

  test('a project that is itself an installed package resolves its imports as any other project', async () => {
    const parent = project
    install('node_modules/thing', '1.0.0', 'export default "beside"')
    project = join(parent, 'node_modules', 'linnet')
    install('node_modules/nested', '1.0.0', 'export default "nested"')
    const code = 'import a from "npm:thing@1"\nimport b from "npm:nested@1"\nexport default [a, b]'
    const { value } = await run(code).finally(() => (project = parent))
    expect(value).toEqual(['beside', 'nested'])
  })

  test('aliases of folders and packages', async () => {
    install('node_modules/thing', '1.0.0', 'export default "package"')
    write({
      ...files,
      'supabase/functions/hello/deno.json': '{"imports":{"@/":"../_shared/","thing":"npm:thing@1"}}',
    })
    const { value } = await run('import a from "@/named.ts"\nimport b from "thing"\nexport default [a, b]')
    expect(value).toEqual(['shared', 'package'])
  })

  test('a problem names the mapped specifier too', async () => {
    write({ 'supabase/functions/hello/deno.json': '{"imports":{"pay":"npm:stripe@^14"}}' })
    expect(await problemsOf('import pay from "pay"\npay()')).toEqual([
      'supabase/functions/hello/index.ts:1 imports "pay" ("npm:stripe@^14"): it is not installed. ' +
        'Run in the project\'s folder: npm install "stripe@^14"',
    ])
  })

  test('an invalid import map is named', async () => {
    write({ 'supabase/functions/hello/deno.json': '{' })
    await expect(bundle('')).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringMatching(/^supabase\/functions\/hello\/deno\.json can't be read: /),
    })
  })
})

describe('unresolved imports', () => {
  test('an entry point of config.toml that does not exist is an input', async () => {
    write({ 'supabase/config.toml': '[functions.hello]\n' })
    const settings = readFunctionSettings(loadConfig(join(project, 'supabase')), 'hello')!
    const entry = join(project, 'supabase/functions/hello/index.ts')
    await expect(bundleFunction(settings, project)).rejects.toMatchObject({
      kind: 'unreadable',
      message: 'supabase/functions/hello/index.ts is its entry point, and there is no such file.',
      inputs: [entry],
    })
  })

  test('all problems are reported together, with line and advice', async () => {
    const problems = await problemsOf(`import Stripe from 'npm:stripe@14'
      import { encodeBase64 } from 'jsr:@std/encoding@1/base64'
      import { OpenAI } from 'jsr:@openai/openai'
      import { create } from 'https://deno.land/x/djwt@v3.0.1/mod.ts'
      import * as path from 'https://deno.land/std@0.200.0/path/mod.ts'
      import { load } from 'https://deno.land/std@0.200.0/dotenv/mod.ts'
      import { a } from 'http://example.org/a.ts'
      import { near } from './near.ts'
      import css from './style.css'
      import chalk from 'chalk'
      console.log(Stripe, encodeBase64, OpenAI, create, path, load, a, near, css, chalk)
      await import('npm:late')`)
    write({ 'supabase/functions/hello/style.css': '' })
    const shortened = problems.map((problem) => problem.replace('supabase/functions/hello/index.ts:', ''))
    expect(shortened).toEqual([
      `1 imports "npm:stripe@14": it is not installed. Run in the project's folder: npm install stripe@14`,
      `2 imports "jsr:@std/encoding@1/base64": it is not installed, and nothing is fetched from JSR. Run in the project's folder: npx jsr add @std/encoding@1`,
      `3 imports "jsr:@openai/openai": it is not installed, and nothing is fetched from JSR. Run in the project's folder: npm install openai (the same code, from npm)`,
      `4 imports "https://deno.land/x/djwt@v3.0.1/mod.ts": nothing is fetched from the network. Write "npm:jose" instead.`,
      `5 imports "https://deno.land/std@0.200.0/path/mod.ts": nothing is fetched from the network. Write "node:path" instead.`,
      `6 imports "https://deno.land/std@0.200.0/dotenv/mod.ts": nothing is fetched from the network. Leave it out: supabase/functions/.env is in Deno.env already.`,
      `7 imports "http://example.org/a.ts": nothing is fetched from the network. Import the npm package with the same code, or store the file in supabase/functions/_shared.`,
      `8 imports "./near.ts": there is no such file.`,
      `9 imports "./style.css": there is no such file.`,
      `10 imports "chalk": it is not installed. Run in the project's folder: npm install chalk`,
      `12 imports "npm:late": it is not installed. Run in the project's folder: npm install late`,
    ])
  })

  test('the creation of a file or package requires a new load', async () => {
    const error: unknown = await bundle('import "npm:late"\nimport "./near.ts"').catch(
      (error: unknown) => error,
    )
    expect((error as FunctionError).inputs).toEqual(
      expect.arrayContaining([
        join(project, 'node_modules/late/package.json'),
        join(project, 'supabase/functions/hello/near.ts'),
        join(project, 'supabase/functions/hello/index.ts'),
      ]),
    )
  })

  test('files other than code cannot be imported', async () => {
    write({ 'supabase/functions/hello/page.html': '<p>' })
    expect((await problemsOf('import page from "./page.html"\nconsole.log(page)'))[0]).toContain(
      'static_files',
    )
  })

  test('inexact names are resolved, with a warning', async () => {
    install('node_modules/thing', '1.0.0', 'export default "thing"')
    write({ 'supabase/functions/hello/near.ts': 'export default "near"' })
    const { value, warnings } = await run(
      'import a from "./near"\nimport b from "thing"\nexport default [a, b]',
    )
    expect(value).toEqual(['near', 'thing'])
    expect(warnings.join('\n')).toContain('the file is near.ts')
    expect(warnings.join('\n')).toContain('Supabase requires "npm:thing"')
  })
})
