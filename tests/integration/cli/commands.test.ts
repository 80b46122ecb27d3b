import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from '../../support/createProject.ts'
import { adminOf } from '../../support/people.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

describe('with a running server', () => {
  const data = temporaryData()
  const project = createProject({
    'config.toml': `project_id = "todo"
[studio]
port = 9999
[storage.buckets.plants]
public = true
allowed_mime_types = ["text/markdown"]
objects_path = "./plants"
[storage.buckets.nothing]
objects_path = "./nothing"
`,
    'plants/ferns/tall fern.md': '# Fern',
    'plants/refused.pdf': '%',
    'migrations/20240101000000_todos.sql': `create table public.todos (id int primary key, task text); grant select, insert on public.todos to service_role;
       alter default privileges revoke execute on functions from public;`,
    'seed.sql': `insert into public.todos values (1, 'water the plants');`,
    // Two functions of pgTAP, with its control file.
    'extensions/extension/pgtap.control':
      "default_version = '1.3.5'\nrelocatable = true\nsuperuser = false\n",
    'extensions/extension/pgtap--1.3.5.sql': `
      create function plan(integer) returns text language sql return format('1..%s', $1);
      create function ok(boolean, text) returns text language sql
        return case when $1 then 'ok - ' || $2 else 'not ok - ' || $2 || e'\\n# Failed test: ' || $2 end;`,
    'tests/database/rows.sql': `begin; select plan(2); insert into public.todos values (2, 'x');
      select ok(count(*) = 2, 'two tasks') from public.todos;
      set local role authenticated; select ok(to_regclass('public.lists') is null, 'no lists'); rollback;`,
    'tests/database/variables.sql': String.raw`\set ECHO none
begin; \ir ../helpers/plan.psql
\set task '\'water\' it'
select true as flag, 2 as id, null as gone;
\gset row_
insert into public.todos values (:row_id, :'task');
copy public.todos (id, task) from stdin;
3	x
\.
select ok(:'row_flag' = 't' and task = '''water'' it', 'variables') from public.todos where id = :row_id;
rollback;`,
    'tests/database/unknown.sql': `begin; select plan(1);\n\\ir missing.sql\nselect ok(true, 'x');`,
    'tests/helpers/plan.psql': 'select plan(1)\\g',
    'tests/database/wrong.sql': `begin; select plan(1); select ok(false, 'plants are dry'); select nothing; rollback;`,
  })
  let server: Server
  /** Runs a command in the directory of the project. */
  const linnet = (...args: string[]): Promise<CommandResult> =>
    runCommandLine([...args, '--data', data.dir], { cwd: dirname(project.dir) })

  beforeAll(async () => {
    // PostgreSQL, which reads the extensions, may run as another user.
    chmodSync(dirname(project.dir), 0o755)
    server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--supabase', dirname(project.dir)],
      env: { LINNET_EXTENSIONS: join(project.dir, 'extensions') },
    })
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    data.remove()
    project.remove()
  })

  it('excludes the data from git, and does not serve the messenger', async () => {
    expect(readFileSync(join(data.dir, '.gitignore'), 'utf8')).toBe('*\n')
    expect((await fetch(server.url, { headers: { accept: 'text/html' } })).status).toBe(404)
  })

  it('uploads the files of buckets, and logs those that are refused', async () => {
    const { data: placed } = await adminOf(server).storage.from('plants').list('ferns')
    expect(placed).toMatchObject([{ name: 'tall fern.md', metadata: { mimetype: 'text/markdown' } }])
    const output = (await linnet('logs', '--level', 'warn')).stdout
    expect(output).toMatch(/storage\.bucket_upload_failed bucket=plants .*refused\.pdf.*mime type/)
    expect(output).toMatch(/storage\.bucket_folder_missing bucket=nothing reason=.*does not exist/)
  })

  it('prints its keys under the names that scripts expect', async () => {
    const renamed = 'api.url=NEXT_PUBLIC_SUPABASE_URL,auth.anon_key=NEXT_PUBLIC_KEY'
    const env = await linnet('status', '-o', 'env', '--override-name', renamed)
    expect(env.stdout).toContain(`NEXT_PUBLIC_SUPABASE_URL="${server.url}"\n`)
    expect(env.stdout).toContain(`NEXT_PUBLIC_KEY="${server.anonKey}"\n`)
    expect(env.stdout).toContain(`REST_URL="${server.url}/rest/v1"\n`)
    expect(env.stdout).not.toContain('\nANON_KEY')
    const json = JSON.parse((await linnet('status', '-o', 'json')).stdout) as Record<string, unknown>
    expect(json).toMatchObject({ url: server.url, API_URL: server.url, DB_URL: server.dbUrl })
    expect(json).toMatchObject({ backups: { backup: null }, problems: expect.any(Array) as unknown })
    expect((await linnet('status', '--verify')).stdout).toContain('objects read, 0 damaged')
    expect((await linnet('status', '--override-name', 'api.ulr=X')).stderr).toMatch(
      /such as api\.url=MY_NAME/,
    )
  })

  it('prints the connection string of the database', async () => {
    const { stdout, code } = await linnet('db', 'url')
    expect(code).toBe(0)
    const database = new Client(stdout.trim())
    await database.connect()
    expect((await database.query('select current_user, task from public.todos')).rows).toEqual([
      { current_user: 'postgres', task: 'water the plants' },
    ])
    await database.end()
  })

  it('creates a migration from standard input, lists it, applies it, and serves it at once', async () => {
    const made = await runCommandLine(['migration', 'new', 'Add due date!', '--supabase', project.dir], {
      input: 'alter table public.todos add due date;\n',
    })
    const file = made.stdout.trim()
    expect(basename(file)).toMatch(/^\d{14}_Add_due_date_\.sql$/)
    expect(readFileSync(file, 'utf8')).toContain('add due date')
    expect((await linnet('migration', 'list')).stdout).toMatch(
      /^20240101000000 +applied .*\n\d{14} +pending /,
    )
    const up = await linnet('migration', 'up')
    expect(up).toMatchObject({ code: 0, stdout: `${basename(file)}\n` })
    const listed = await linnet('migration', 'list', '-o', 'json')
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { applied: true },
      { applied: true, file: basename(file) },
    ])
    await expect
      .poll(async () => (await adminOf(server).from('todos').select('due')).data)
      .toEqual([{ due: null }])
    expect((await linnet('migration', 'up')).stderr).toBe('No migrations are pending.\n')
    const elsewhere = await linnet(
      'migration',
      'list',
      '--db-url',
      'postgresql://x:secret-word@127.0.0.1:1/y',
    )
    expect(elsewhere.stderr).toMatch(/can't be opened/)
    expect(elsewhere.stderr).not.toMatch(/secret-word|\n\s+at /)
  })

  it('runs the pgTAP tests of the project', async () => {
    const tested = await linnet('test', 'db')
    expect(tested.code).toBe(1)
    expect(tested.stdout).toBe(
      `supabase/tests/database/rows.sql: ok
supabase/tests/database/unknown.sql: failed
  line 2: the file ${join(project.dir, 'tests/database/missing.sql')} does not exist
supabase/tests/database/variables.sql: ok
supabase/tests/database/wrong.sql: failed
  not ok - plants are dry
  # Failed test: plants are dry
  line 1: column "nothing" does not exist (42703)
4 files, 2 failed
`,
    )
    const passing = await linnet('test', 'db', 'supabase/tests/database/rows.sql')
    expect(passing).toMatchObject({ code: 0, stdout: expect.stringContaining('1 files, 0 failed') })
    expect((await linnet('test', 'db', 'supabase/nothing')).stderr).toMatch(/There is no .*nothing\./)
    const { stdout } = await linnet('db', 'url')
    const database = new Client(stdout.trim())
    await database.connect()
    expect((await database.query(`select from pg_extension where extname = 'pgtap'`)).rowCount).toBe(0)
    expect((await database.query('select from public.todos')).rowCount).toBe(1)
    await database.end()
  })

  it('prints the position of an error in a migration, and does not change the database', async () => {
    project.write({
      'migrations/29990101000000_wrong.sql': 'select 1;\nalter table public.nothing add x int;',
    })
    const up = await linnet('migration', 'up')
    project.write({ 'migrations/29990101000000_wrong.sql': 'select 1;' })
    expect(up.code).toBe(1)
    expect(up.stderr).toMatch(/29990101000000_wrong\.sql, line 2: relation "public\.nothing" does not exist/)
    expect(up.stderr).not.toMatch(/\n\s+at /)
    expect((await linnet('migration', 'list')).stdout).toMatch(/29990101000000 +pending/)
  })

  it('prints its log, filtered by level, as text or JSON', async () => {
    await expect
      .poll(async () => (await linnet('logs')).stdout)
      .toMatch(/info schema\.migration_applied file=2024/)
    const warnings = await linnet('logs', '--level', 'warn', '--json')
    const entries = warnings.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string })
    expect(entries).toContainEqual(
      expect.objectContaining({
        event: 'server.config_warning',
        reason: expect.stringContaining('studio.port'),
      }),
    )
    expect(entries.every((entry) => entry.level !== 'info')).toBe(true)
    expect((await linnet('logs', '-n', '1')).stdout.trim().split('\n')).toHaveLength(1)
    expect((await linnet('logs', '--function', 'nobody')).stdout).toBe('')
    expect((await linnet('logs', '-n', 'many')).stderr).toMatch(/--lines must be a whole number/)
  })

  it('follows its log', async () => {
    const child = spawn(
      process.execPath,
      [join(root, 'bin/linnet'), 'logs', '-f', '-n', '1', '--data', data.dir],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const lines: string[] = []
    const reader = createInterface({ input: child.stdout })
    const first = new Promise((resolve) => reader.once('line', resolve))
    reader.on('line', (line) => lines.push(line))
    await first
    await adminOf(server).auth.admin.inviteUserByEmail('ann@harbour.example')
    await expect.poll(() => lines.join('\n')).toMatch(/auth\.mail_stored/)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  })
})

it("does not change Linnet's own folder outside of a project", async () => {
  const nowhere = mkdtempSync(join(tmpdir(), 'linnet-nowhere-'))
  for (const args of [
    ['migration', 'new', 'stray'],
    ['functions', 'new', 'stray'],
    ['reset', '--yes'],
  ]) {
    const { code, stderr } = await runCommandLine(args, { cwd: nowhere })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^There is no supabase folder here or in a parent directory\. .*\n$/),
    ])
  }
  mkdirSync(join(nowhere, 'supabase', 'migrations'), { recursive: true })
  const made = await runCommandLine(['migration', 'new', 'first'], { cwd: nowhere })
  expect(made.stdout).toMatch(/linnet-nowhere-.*_first\.sql/)
  rmSync(nowhere, { recursive: true })
})
