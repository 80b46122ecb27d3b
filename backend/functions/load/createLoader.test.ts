import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FunctionError } from '../functionTypes.ts'
import { createLoader, type LoaderOptions } from './createLoader.ts'

let project: string
let warnings: string[]

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'linnet-load-')))
  warnings = []
})
afterEach(() => rmSync(project, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** A package as npm would leave it in the project. */
function install(name: string, version: string, code: string, manifest: object = {}): void {
  write({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, type: 'module', ...manifest }),
    [`node_modules/${name}/index.js`]: code,
  })
}

function options(): LoaderOptions {
  const log = {
    info: () => {},
    error: () => {},
    warn: (_event: string, fields: Record<string, unknown> = {}) =>
      void warnings.push(String(fields['reason'])),
  }
  return {
    supabaseDir: join(project, 'supabase'),
    dataDir: join(project, '.linnet'),
    server: () => ({
      localUrl: 'http://127.0.0.1:4280',
      publicUrl: 'https://chat.example.org',
      dbUrl: 'postgresql://…',
      anonKey: 'anon',
      serviceRoleKey: 'service',
      publishableKey: 'sb_publishable_x',
      secretKey: 'sb_secret_x',
      jwks: { keys: [] },
      smtp: null,
    }),
    log,
  }
}

const loader = (more: Partial<LoaderOptions> = {}) => createLoader({ ...options(), ...more })

const load = (name = 'hello', options: Partial<LoaderOptions> = {}) => loader(options).load(name)

async function failure(name = 'hello', options: Partial<LoaderOptions> = {}): Promise<FunctionError> {
  const error: unknown = await load(name, options).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(FunctionError)
  return error as FunctionError
}

/** What the function's default export is, as a process of its own sees it. */
function run(module: string): unknown {
  const script = `process.setSourceMapsEnabled(true)
    const { default: given } = await import(${JSON.stringify(module)})
    console.log(JSON.stringify(typeof given === 'function' ? await given() : given))`
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
  )
}

describe('list of functions', () => {
  test('contains folders with an entry point and a valid name, and functions of config.toml', () => {
    write({
      'supabase/functions/hello/index.ts': '',
      'supabase/functions/page/index.tsx': '',
      'supabase/functions/_shared/index.ts': '',
      'supabase/functions/.hidden/index.ts': '',
      'supabase/functions/1st/index.ts': '',
      'supabase/functions/assets/logo.svg': '',
      'supabase/config.toml': '[functions.named]\nverify_jwt = false\n[functions.off]\nenabled = false\n',
    })
    expect(
      loader()
        .list()
        .map(({ name, enabled, verifyJwt }) => [name, enabled, verifyJwt]),
    ).toEqual([
      ['hello', true, true],
      ['named', true, false],
      ['off', false, true],
      ['page', true, true],
    ])
    expect(
      loader({ verifyJwt: false })
        .list()
        .every(({ verifyJwt }) => !verifyJwt),
    ).toBe(true)
  })

  test.each(['nope', '_shared', '..', '../hello', 'hello/../hello', 'Hello', 'hello%2f', 'constructor', ''])(
    '%j is none',
    async (name) => {
      write({
        'supabase/functions/hello/index.ts': 'export default 1',
        'supabase/functions/_shared/index.ts': '',
        'supabase/config.toml': '',
      })
      await expect(load('hello')).resolves.toMatchObject({ name: 'hello' })
      expect((await failure(name)).kind).toBe('unknown')
    },
  )

  test('disables one function, or all', async () => {
    write({
      'supabase/functions/hello/index.ts': '',
      'supabase/config.toml': '[functions.hello]\nenabled = false',
    })
    const error = await failure()
    expect(error.kind).toBe('disabled')
    expect(error.inputs).toContain(join(project, 'supabase/config.toml'))
    write({ 'supabase/config.toml': '[edge_runtime]\nenabled = false' })
    expect((await failure()).kind).toBe('unknown')
    expect(loader().list()).toEqual([])
  })

  test('config.toml is read again, and an invalid one is an error', async () => {
    write({ 'supabase/functions/hello/index.ts': 'export default 1', 'supabase/config.toml': '' })
    const { load } = loader()
    expect((await load('hello')).verifyJwt).toBe(true)
    write({ 'supabase/config.toml': '[functions.hello]\nverify_jwt = false' })
    expect((await load('hello')).verifyJwt).toBe(false)
    write({ 'supabase/config.toml': '[functions.hello' })
    await expect(load('hello')).rejects.toMatchObject({
      kind: 'unreadable',
      inputs: expect.arrayContaining([join(project, 'supabase/config.toml')]),
    })
    write({ 'supabase/config.toml': '[functions.hello]\nenabled = true' })
    expect((await load('hello')).verifyJwt).toBe(true)
  })

  test('a configured entry point is relative to the folder of config.toml', async () => {
    write({
      'supabase/functions/other/main.mjs': 'export default "main"',
      'supabase/config.toml': '[functions.hello]\nentrypoint = "./functions/other/main.mjs"',
    })
    expect(run((await load()).module)).toBe('main')
    write({ 'supabase/config.toml': '[functions.hello]\nentrypoint = "./functions/gone.ts"' })
    expect((await failure()).kind).toBe('unreadable')
  })
})

describe('modules', () => {
  test('TypeScript, JSX, JSON and files beside it, each with its own import.meta', async () => {
    write({
      'supabase/functions/_shared/cors.ts': 'export const here: string = import.meta.url',
      'supabase/functions/hello/data.json': '{ "a": 1 }',
      'supabase/functions/hello/view.tsx':
        'const React = { createElement: (tag: string) => tag }\nexport const view = <b>x</b>',
      'supabase/functions/hello/index.ts': `
        import { here } from '../_shared/cors.ts'
        import data from './data.json' with { type: 'json' }
        import { view } from './view.tsx'
        enum Colour { red = 'r' }
        export default { here, data, view, colour: Colour.red, main: import.meta.main }`,
    })
    expect(run((await load()).module)).toEqual({
      here: `file://${project}/supabase/functions/_shared/cors.ts`,
      data: { a: 1 },
      view: 'b',
      colour: 'r',
      main: true,
    })
  })

  test('a stack trace names the source file and line', async () => {
    write({
      'supabase/functions/_shared/fail.ts':
        '\n\nexport function fail(): string {\n  return new Error("x").stack!\n}',
      'supabase/functions/hello/index.ts':
        'interface Long {\n  a: string\n}\nimport { fail } from "../_shared/fail.ts"\nexport default (): string => fail()',
    })
    const trace = String(run((await load()).module))
    expect(trace).toContain(`${project}/supabase/functions/_shared/fail.ts:4:`)
    expect(trace).toContain(`${project}/supabase/functions/hello/index.ts:5:`)
  })

  test('invalid code is an error with its location', async () => {
    write({ 'supabase/functions/hello/index.ts': 'const a = 1\nconst b = ;' })
    const error = await failure()
    expect(error.kind).toBe('unreadable')
    expect(error.message).toBe('supabase/functions/hello/index.ts:2:11: Unexpected token')
    expect(error.inputs).toContain(join(project, 'supabase/functions/hello/index.ts'))
  })

  test('JSX as deno.json has it', async () => {
    install('fakejsx', '1.0.0', 'export const jsx = (tag) => "automatic " + tag; export const jsxs = jsx', {
      exports: { './jsx-runtime': './index.js' },
    })
    write({
      'supabase/functions/hello/deno.json':
        '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "fakejsx" }, "imports": { "fakejsx": "npm:fakejsx@1" } }',
      'supabase/functions/hello/index.tsx': 'export default <p />',
      'supabase/functions/pragma/index.tsx': '/** @jsxImportSource npm:fakejsx */\nexport default <i />',
    })
    expect(run((await load()).module)).toBe('automatic p')
    expect(run((await load('pragma')).module)).toBe('automatic i')
  })
})

describe('cached modules', () => {
  test('the same sources have the same module; each change gives another', async () => {
    write({
      'supabase/functions/_shared/a.ts': 'export const a = 1',
      'supabase/functions/hello/index.ts': 'export { a as default } from "../_shared/a.ts"',
    })
    const first = await load()
    const again = await load()
    expect(again.module).toBe(first.module)
    expect(again.inputs.toSorted()).toEqual(first.inputs.toSorted())
    expect(first.inputs).toContain(join(project, 'supabase/functions/_shared/a.ts'))
    write({ 'supabase/functions/_shared/a.ts': 'export const a = 2' })
    const changed = await load()
    expect(changed.module).not.toBe(first.module)
    expect([run(first.module), run(changed.module)]).toEqual([1, 2])
  })

  test('another version of a package, a map that appears, a static file', async () => {
    install('thing', '1.0.0', 'export default 1')
    write({
      'supabase/config.toml': '[functions.hello]\nstatic_files = ["./functions/hello/*.html"]',
      'supabase/functions/hello/index.ts': 'export { default } from "npm:thing"',
      'supabase/functions/hello/page.html': 'a',
    })
    const modules = new Set([(await load()).module])
    install('thing', '1.1.0', 'export default 2')
    modules.add((await load()).module)
    write({ 'supabase/functions/hello/deno.json': '{}' })
    modules.add((await load()).module)
    write({ 'supabase/functions/hello/page.html': 'b' })
    modules.add((await load()).module)
    expect(modules.size).toBe(4)
  })

  test('old modules are deleted, the newest are kept', async () => {
    for (let turn = 0; turn < 6; turn++) {
      write({ 'supabase/functions/hello/index.ts': `export default ${turn}` })
      const { module } = await load()
      utimesSync(module, turn, turn)
    }
    const kept = readdirSync(join(project, '.linnet/functions/hello')).filter((name) => name.endsWith('.mjs'))
    expect(kept).toHaveLength(3)
  })

  test('an invalid record is replaced', async () => {
    write({ 'supabase/functions/hello/index.ts': 'export default 1' })
    await load()
    write({ '.linnet/functions/hello/module.json': '{ "format": 1' })
    expect(run((await load()).module)).toBe(1)
  })
})

describe('the environment', () => {
  const files = {
    'supabase/functions/hello/index.ts': '',
    'supabase/config.toml':
      '[edge_runtime.secrets]\nfrom_config = "config"\nboth = "config"\nunset = "env(NOT_SET_ANYWHERE)"',
    'supabase/functions/.env': 'BOTH=file\nSUPABASE_URL=http://elsewhere\nOWN=1',
    'own.env': 'OWN=2',
  }

  test('secrets of config.toml are overridden by .env, and both by the server', async () => {
    write(files)
    expect((await load()).env).toEqual({
      FROM_CONFIG: 'config',
      BOTH: 'file',
      OWN: '1',
      SUPABASE_URL: 'http://127.0.0.1:4280',
      SUPABASE_PUBLIC_URL: 'https://chat.example.org',
      SUPABASE_ANON_KEY: 'anon',
      SUPABASE_SERVICE_ROLE_KEY: 'service',
      SUPABASE_DB_URL: 'postgresql://…',
      SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
      SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
      SUPABASE_JWKS: '{"keys":[]}',
    })
    expect(warnings).toEqual([
      'edge_runtime.secrets.unset refers to a variable that is not set. It was ignored.',
      'SUPABASE_URL was ignored: names that start with SUPABASE_ are reserved.',
    ])
  })

  test('has the mail server of sign-in mails, unless the project names another one', async () => {
    write({ ...files, 'supabase/functions/.env': '' })
    const { server } = options()
    const from = { name: 'Linnet', address: 'chat@example.org' }
    const smtp = { host: 'smtp.example.org', port: 465, user: 'chat', password: 'secret', from }
    const withMail = { server: () => ({ ...server(), smtp }) }
    expect((await load('hello', withMail)).env).toMatchObject({
      SMTP_HOST: 'smtp.example.org',
      SMTP_PORT: '465',
      SMTP_USER: 'chat',
      SMTP_PASS: 'secret',
      SMTP_ADMIN_EMAIL: 'chat@example.org',
      SMTP_SENDER_NAME: 'Linnet',
    })
    write({ ...files, 'supabase/functions/.env': 'SMTP_HOST=elsewhere.example' })
    const { env } = await load('hello', withMail)
    expect(Object.keys(env).filter((name) => name.startsWith('SMTP_'))).toEqual(['SMTP_HOST'])
  })

  test('a database URL that some drivers cannot parse is a warning', async () => {
    write({ ...files, 'supabase/functions/hello/index.ts': 'Deno.env.get("SUPABASE_DB_URL")' })
    const { server } = options()
    await load('hello')
    expect(warnings.join()).not.toContain('--db-port')
    const socket = { ...server(), dbUrl: 'postgresql://a:b@/postgres?host=%2Frun' }
    await load('hello', { server: () => socket })
    expect(warnings.join()).toContain('--db-port')
  })

  test('another file instead of .env, which must be there', async () => {
    write(files)
    expect((await load('hello', { envFile: join(project, 'own.env') })).env).toMatchObject({
      OWN: '2',
      BOTH: 'config',
    })
    expect((await failure('hello', { envFile: join(project, 'none.env') })).kind).toBe('unreadable')
  })

  test('the error for an invalid file does not contain its text', async () => {
    write({ ...files, 'supabase/functions/.env': 'A=1\nhunter2 is the password' })
    const { kind, message } = await failure()
    expect(kind).toBe('unreadable')
    expect(message).toContain('Line 2')
    expect(message).not.toContain('hunter2')
  })
})

test('modules are readable by their owner only', async () => {
  write({ 'supabase/functions/hello/index.ts': `export default 'a word of its own'` })
  const { module } = await load()
  for (const folder of [dirname(module), dirname(dirname(module))])
    expect(statSync(folder).mode & 0o077).toBe(0)
})

describe('pipes and large files are not read', () => {
  const config = (lines: string): Record<string, string> => ({
    'supabase/config.toml': `[functions.hello]\n${lines}`,
    'supabase/functions/hello/index.ts': `export default 'well'`,
  })
  const pipe = (path: string): void => {
    write({ [`${path}.txt`]: 'a neighbour' })
    execFileSync('/usr/bin/mkfifo', [join(project, path)])
  }

  test.each([
    ['entry point', 'entrypoint = "./functions/hello/pipe.ts"'],
    ['import map', 'import_map = "./functions/hello/pipe.ts"'],
  ])('a pipe as %s', async (_what, line) => {
    write(config(line))
    pipe('supabase/functions/hello/pipe.ts')
    const { kind, message } = await failure()
    expect(kind).toBe('unreadable')
    expect(message).toMatch(/no such file|not a file/)
  })

  test('pipes and cyclic links among static files', async () => {
    write(config('static_files = ["./functions/hello/**", "./functions/hello/pipe"]'))
    pipe('supabase/functions/hello/pipe')
    symlinkSync('round', join(project, 'supabase/functions/hello/round'))
    expect(run((await load()).module)).toBe('well')
    expect(run((await load()).module)).toBe('well')
  })

  test('the content of static files', async () => {
    write({
      ...config('static_files = ["./functions/hello/*.txt"]'),
      'supabase/functions/hello/a.txt': 'one',
    })
    const asset = join(project, 'supabase/functions/hello/a.txt')
    const { module } = await load()
    utimesSync(asset, 1, 1)
    const { module: touched } = await load()
    expect(touched).not.toBe(module)
    writeFileSync(asset, 'two')
    utimesSync(asset, 1, 1)
    expect((await load()).module).toBe(touched)
  })

  test('a deno.json that names itself', async () => {
    write({ ...config(''), 'supabase/functions/hello/deno.json': '{"importMap": "./deno.json"}' })
    expect((await failure()).message).toContain('names itself')
  })
})
