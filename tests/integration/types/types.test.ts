import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../backend/cli/linnet.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startPostgres, type Postgres } from '../../../backend/postgres/server/startPostgres.ts'
import { writeRunningServer } from '../../../backend/startup/runningServer.ts'
import { generateTypes } from '../../../backend/optional/types/generateTypes.ts'
import { temporaryData } from '../../support/server.ts'

const here = import.meta.dirname
const root = join(here, '../../..')

const data = temporaryData()
let postgres: Postgres
let client: Client
let types: string
/** Connection string of a role with a password. */
let url: string

beforeAll(async () => {
  await createDataFromTemplate(data.dir)
  postgres = await startPostgres({ dataDir: data.dir })
  client = new Client(postgres.config('supabase_admin'))
  await client.connect()
  await client.query(readFileSync(join(here, 'shapes.sql'), 'utf8'))
  await client.query(
    `create role reader login password 'p@ss/word'; create schema secret;
     grant usage on schema shelf to reader;
     grant select on all tables in schema public, shelf to reader`,
  )
  url = `postgresql://reader:p%40ss%2Fword@/postgres?host=${encodeURIComponent(postgres.socketDir)}`
  ;({ types } = await generateTypes(client, { schemas: ['public', 'shelf'], postgrestVersion: '14.12' }))
})
afterAll(async () => {
  await client.end()
  await postgres.stop()
  data.remove()
})

/** Runs `linnet types …` in this process and returns its output. */
async function linnetTypes(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += String(chunk)
      return true
    }),
  )
  try {
    return { code: await runCommand(['types', ...args], root), ...output }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describe('the types of a schema', () => {
  it('equal the snapshot', async () => {
    await expect(types).toMatchFileSnapshot('shapes.generated.ts')
  })

  it('contain the version of PostgREST only if it is known', async () => {
    const { types: silent } = await generateTypes(client, { schemas: ['public'], postgrestVersion: null })
    expect(types).toContain('__InternalSupabase: {\n    PostgrestVersion: "14.12"')
    expect(silent).not.toContain('__InternalSupabase: {')
  })

  it('are read without leaving a transaction open', async () => {
    const { rows } = await client.query('select now() = statement_timestamp() as outside')
    expect(rows).toEqual([{ outside: true }])
  })
})

describe('code that uses the types', () => {
  /** Statements with a mistake, and the error of the compiler. */
  const mistakes: [mistake: string, code: string, error: RegExp][] = [
    ['a table that is not there', `supabase.from('boks').select()`, /TS2769.*'"boks"' is not assignable/s],
    [
      'a column that is not there',
      `(await supabase.from('books').select('titel').throwOnError()).data[0]!.titel`,
      /TS2339.*column 'titel' does not exist on 'books'/,
    ],
    [
      'an embed without a relationship',
      `(await supabase.from('labels').select('label, books(title)').throwOnError()).data[0]!.books.title`,
      /TS2339.*could not find the relation between labels and books/,
    ],
    ['a missing value', `supabase.from('books').insert({})`, /TS2345.*title: string/],
    [
      'a label that the enum lacks',
      `supabase.from('books').insert({ title: 'x', state: 'lost' })`,
      /TS2322: Type '"lost"'/,
    ],
    [
      'a value for a generated column',
      `supabase.from('books').update({ slug: 'x' })`,
      /TS2322: Type 'string' .* 'undefined'/,
    ],
    [
      'a value for an identity',
      `supabase.from('authors').insert({ id: 1, name: 'x' })`,
      /TS2322: Type 'number' .* 'undefined'/,
    ],
    [
      'null where there is none',
      `const x: string = (await supabase.from('authors').select('born').throwOnError()).data[0]!.born; x`,
      /TS2322: Type 'string \| null'/,
    ],
    [
      'writing to a view of totals',
      `supabase.from('counted').insert({ books: 1 })`,
      /TS2353.*'books' does not exist in type 'never/,
    ],
    [
      'an argument of the wrong type',
      `supabase.rpc('find_books', { words: 1 })`,
      /TS2322: Type 'number' .* 'string'/,
    ],
    ['an argument too few', `supabase.rpc('find_books', { most: 1 })`, /TS2741: Property 'words' is missing/],
    ['a function of triggers', `supabase.rpc('never_called')`, /TS2345.*never_called/],
    ['a schema that is not there', `supabase.schema('attic')`, /TS2345.*attic/],
  ]
  const dir = mkdtempSync(join(tmpdir(), 'linnet-types-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  /** Errors of the compiler by file name. */
  async function compile(): Promise<Map<string, string>> {
    const output = await new Promise<string>((resolve) => {
      execFile(
        join(root, 'node_modules/.bin/tsc'),
        ['-p', dir, '--pretty', 'false'],
        { cwd: dir },
        (_, stdout) => resolve(stdout),
      )
    })
    const errors = new Map<string, string>()
    // A message may continue on indented lines.
    for (const [, file = '', message = ''] of output.matchAll(
      /^([\w.]+)\(\d+,\d+\): (error (?:.|\n {2})*)/gm,
    )) {
      errors.set(file, `${errors.get(file) ?? ''}${message}\n`)
    }
    return errors
  }

  let errors: Map<string, string>
  beforeAll(async () => {
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }),
    )
    writeFileSync(join(dir, 'shapes.generated.ts'), types)
    copyFileSync(join(here, 'validCode.ts'), join(dir, 'validCode.ts'))
    mistakes.forEach(([, code], index) =>
      writeFileSync(
        join(dir, `wrong${index}.ts`),
        `import { createClient } from '@supabase/supabase-js'
         import type { Database } from './shapes.generated.ts'
         const supabase = createClient<Database>('http://127.0.0.1', 'key')
         export async function wrong() { ${code} }`,
      ),
    )
    errors = await compile()
  })

  it('compiles if it is correct', () => {
    expect(errors.get('validCode.ts')).toBeUndefined()
    expect(errors.get('shapes.generated.ts')).toBeUndefined()
  })

  it.for(mistakes.map(([mistake, , error], index) => ({ mistake, error, index })))(
    'does not compile with $mistake',
    ({ error, index }) => {
      expect(errors.get(`wrong${index}.ts`)).toMatch(error)
    },
  )
})

describe('linnet types', () => {
  it('prints the types of another database, with a trailing empty line like the official command', async () => {
    const { stdout } = await linnetTypes('--db-url', url, '--schema', 'public,shelf')
    expect(stdout).toBe(`${types.replace(/ {2}\/\/ Allows(?:.|\n)*?\n {2}\}\n/, '')}\n`)
  })

  it('prints the types of the running server', async () => {
    const running = { dbUrl: url, pids: { server: process.pid, db: postgres.pid } }
    writeRunningServer(data.dir, running as Parameters<typeof writeRunningServer>[1])
    const { code, stdout } = await linnetTypes('--data', data.dir, '--schema', 'public', '--schema', 'shelf')
    expect(code).toBe(0)
    expect(stdout).toBe(`${types}\n`)
  })

  it.for([
    [
      'no running server',
      ['--data', '/nowhere'],
      /^No server is running on .*nowhere.*linnet start".*--db-url/,
    ],
    ['two databases', ['--local', '--db-url', 'x'], /cannot be combined/],
    ['no address', ['--db-url', 'db.example.org'], /looks like postgresql:/],
    [
      'a port of nobody',
      ['--db-url', 'postgresql://u:hush@127.0.0.1:1/shop'],
      /shop at 127.0.0.1:1 can't be opened as u: .*ECONNREFUSED/,
    ],
    ['another language', ['--lang', 'go'], /--lang must be typescript, not "go"/],
  ] as const)('explains the mistake with %s', async ([, args, words]) => {
    const { code, stdout, stderr } = await linnetTypes(...args)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
    expect(stderr).not.toMatch(/hush|\n\s+at /)
  })

  it('names schemas that do not exist or are not accessible', async () => {
    const { code, stderr } = await linnetTypes('--db-url', url, '-s', 'public,attic,secret')
    expect(code).toBe(1)
    expect(stderr).toMatch(/no schema attic, secret, or its user may not use it/)
  })

  it('does not print a wrong password', async () => {
    const { code, stderr } = await linnetTypes('--db-url', url.replace('word@', 'hush@'))
    expect(code).toBe(1)
    expect(stderr).toMatch(/can't be opened as reader: password authentication failed/)
    expect(stderr).not.toContain('hush')
  })
})
