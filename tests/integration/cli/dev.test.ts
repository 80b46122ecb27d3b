import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from '../../support/createProject.ts'
import { adminOf } from '../../support/people.ts'
import { runCommandLine } from '../../support/runCommandLine.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const data = temporaryData()
const project = createProject({ 'config.toml': '[api]\nauto_expose_new_tables = true\n' })
let server: Server

/** The log of the server. */
function output(): string {
  const file = join(data.dir, 'logs', 'linnet.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

beforeAll(async () => {
  await createDataFromTemplate(data.dir)
  server = await startServer({
    root: join(import.meta.dirname, '../../..'),
    dataDir: data.dir,
    args: ['--dev', '--no-app', '--supabase', project.dir],
  })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  data.remove()
  project.remove()
})

it('applies a new migration at once, and serves its table', async () => {
  project.write({ 'migrations/20240101000000_birds.sql': 'create table public.birds (id int primary key);' })
  await expect.poll(async () => (await adminOf(server).from('birds').select()).data).toEqual([])
})

it('does not apply a migration before it contains a statement', async () => {
  const made = await runCommandLine(['migration', 'new', 'nests', '--supabase', project.dir])
  project.write({ 'config.toml': '[api]\nauto_expose_new_tables = true\nmax_rows = 7\n' })
  // Logged after the empty migration was read, as both files exist by now.
  await expect.poll(output).toMatch(/server\.config_changed.*at the next start/)
  const file = made.stdout.trim()
  expect(output()).not.toContain(file.slice(file.lastIndexOf('/') + 1))
  project.write({
    [`migrations/${file.slice(file.lastIndexOf('/') + 1)}`]: 'create table public.nests (id int);',
  })
  await expect.poll(output).toMatch(/schema\.migration_applied.*_nests\.sql/)
})

it('logs the error of a migration, and applies it once it is fixed', async () => {
  const name = 'migrations/29990101000000_eggs.sql'
  project.write({ [name]: 'create tabel public.eggs (id int);' })
  await expect.poll(output).toMatch(/server\.change_failed.*eggs\.sql, line 1: syntax error/)
  expect((await adminOf(server).from('birds').select()).error).toBeNull()
  project.write({ [name]: 'create table public.eggs (id int);' })
  await expect.poll(async () => (await adminOf(server).from('eggs').select()).data).toEqual([])
})

it('logs what to do about a changed or deleted migration, and about an invalid config.toml', async () => {
  project.write({ 'migrations/20240101000000_birds.sql': 'create table public.birds (id int, name text);' })
  await expect.poll(output).toMatch(/schema\.migration_changed.*birds\.sql.*linnet reset/)
  const duplicate = 'migrations/20240101000000_duplicate.sql'
  project.write({ [duplicate]: 'select 1;' })
  await expect.poll(output).toMatch(/birds\.sql and 20240101000000_duplicate\.sql: two migrations/)
  for (const gone of [duplicate, 'migrations/20240101000000_birds.sql']) rmSync(join(project.dir, gone))
  await expect.poll(output).toMatch(/schema\.migration_deleted.*20240101000000.*restore the file/)
  project.write({ 'config.toml': '[api]\nmax_rows = "many"\n' })
  await expect.poll(output).toMatch(/server\.change_failed.*api\.max_rows must be a number/)
})

describe('a saved schema file', () => {
  const name = 'schemas/birds.sql'
  const song = `create function public.song() returns text language sql as $$ select 'tweet' $$;
grant execute on function public.song() to service_role;
`
  const call = async (): Promise<unknown> => (await adminOf(server).rpc('song')).data

  beforeAll(() => project.write({ 'config.toml': '[api]\nauto_expose_new_tables = true\n', [name]: '' }))

  it('adds a function, which the API serves at once', async () => {
    // The folder is new: the server watches it from the next change of the supabase folder.
    project.write({ 'config.toml': '[api]\nauto_expose_new_tables = true\nmax_rows = 9\n' })
    await expect.poll(output).toMatch(/server\.config_changed(?:.*\n)*.*server\.config_changed/)
    project.write({ [name]: song })
    await expect.poll(call).toBe('tweet')
  })

  it('changes a function', async () => {
    project.write({ [name]: song.replace('tweet', 'chirp') })
    await expect.poll(call).toBe('chirp')
    expect(output()).toMatch(/schema\.file_applied.*birds\.sql/)
  })

  it('with a syntax error changes nothing and logs the line', async () => {
    project.write({ [name]: `${song}create functio public.x() returns int language sql as 'select 1';\n` })
    await expect.poll(output).toMatch(/schema\.migration_needed|server\.change_failed/)
    project.write({ [name]: `${song}create function public.x() returns int language sql as 'selec 1';\n` })
    await expect.poll(output).toMatch(/server\.change_failed.*schemas\/birds\.sql, line 3: syntax error/)
    expect(await call()).toBe('chirp')
    project.write({ [name]: song })
    await expect.poll(call).toBe('tweet')
  })

  it('with another result, another signature or a table needs a migration', async () => {
    project.write({ [name]: song.replace('returns text', 'returns varchar') })
    await expect
      .poll(output)
      .toMatch(/schema\.migration_needed.*its arguments, its result.*linnet migration diff NAME/)
    project.write({
      [name]: song
        .replaceAll('song()', 'song(loud boolean)')
        .replaceAll('song(loud boolean) to', 'song(boolean) to'),
    })
    await expect
      .poll(output)
      .toMatch(/schema\.migration_needed.*its arguments have changed|server\.change_failed.*song/)
    project.write({ [name]: `${song}create table public.feathers (id int);\n` })
    await expect.poll(output).toMatch(/schema\.migration_needed.*create table public.*it changes a table/)
    expect(await call()).toBe('tweet')
  })
})
