import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { copyTemplate } from './copyTemplate.ts'
import { findFreePort } from './findFreePort.ts'
import { createPool } from '../connections/pool.ts'
import { finishSchemaChange, willChangeSchema } from '../schema/schemaDigest.ts'
import { isAlive, pidNamespace } from './processIdentity.ts'
import { startPostgres, type Postgres, type StartOptions } from './startPostgres.ts'

const isRoot = process.getuid!() === 0
const folders: string[] = []
const started: Postgres[] = []

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  folders.push(folder)
  return folder
}

/** Puts a PostgreSQL that has been initialised into a new folder: a copy, since initdb takes two seconds. */
async function fillInitialised(dataDir: string): Promise<void> {
  await copyTemplate('initialised', dataDir, async (folder) => {
    await (await startPostgres({ dataDir: folder })).stop()
  })
}

async function start(dataDir: string, port?: number): Promise<Postgres> {
  const postgres = await startPostgres({ dataDir, ...(port === undefined ? {} : { port }) })
  started.push(postgres)
  return postgres
}

async function sendRequest(config: ClientConfig, text: string): Promise<unknown> {
  const client = new Client(config)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no failure',
    (error: Error) => `${error.name}: ${error.message}`,
  )

/** The module as another process has it: it holds nothing. */
async function freshStart(dataDir: string): Promise<Postgres> {
  vi.resetModules()
  const module = await import('./startPostgres.ts')
  const postgres = await module.startPostgres({ dataDir })
  started.push(postgres)
  return postgres
}

test('the server can log in after SQL has changed its logins', async () => {
  const dataDir = temporaryFolder()
  await fillInitialised(dataDir)
  const first = await start(dataDir)
  await sendRequest(first.config('postgres'), `alter role postgres password 'postgres'`)
  await sendRequest(
    first.config('supabase_admin'),
    `alter role authenticator nologin connection limit 0 password 'x' valid until 'yesterday'`,
  )
  for (const role of ['postgres', 'authenticator'] as const)
    await expect(sendRequest(first.config(role), 'select 1')).rejects.toThrow(
      /password authentication|not permitted/,
    )
  await first.stop()
  const second = await start(dataDir)
  for (const role of ['postgres', 'authenticator'] as const)
    expect(await sendRequest(second.config(role), 'select current_user::text')).toBe(role)
  await second.stop()
})

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('one that runs', () => {
  let postgres: Postgres
  const dataDir = temporaryFolder()
  beforeAll(async () => {
    const hostile = { LC_ALL: 'C', LANG: 'C', PGDATA: '/nowhere', PGOPTIONS: '-c jit=on' }
    for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value)
    postgres = await start(dataDir)
    // One by one: an object that replaces process.env would not change the environment that the C library reads.
    vi.unstubAllEnvs()
  })
  afterAll(() => postgres?.stop())

  test('classifies non-ASCII letters in any locale of the environment', async () => {
    const admin = postgres.config('supabase_admin')
    await sendRequest(admin, 'create extension pg_trgm')
    expect(await sendRequest(admin, `select show_trgm('Привет')`)).not.toEqual([])
    expect(await sendRequest(admin, `select lower('Ä')`)).toBe('ä')
    expect(await sendRequest(admin, `select 'Ä' ~ '\\w'`)).toBe(true)
  })

  test('is durable, and supports replication', async () => {
    const admin = postgres.config('supabase_admin')
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
      expect(await sendRequest(admin, `show ${setting}`)).toBe('on')
    }
    expect(await sendRequest(admin, 'show wal_level')).toBe('logical')
    expect(await sendRequest(admin, 'show max_slot_wal_keep_size')).toBe('1GB')
  })

  test('requires the password of each role', async () => {
    const config = postgres.config('postgres')
    expect(await sendRequest(config, 'select current_user')).toBe('postgres')
    expect(await failure(sendRequest({ ...config, password: 'guessed' }, 'select 1'))).toContain(
      'password authentication failed',
    )
    const passwords = join(dataDir, 'postgres-passwords.json')
    expect(statSync(passwords).mode & 0o777).toBe(0o600)
    const file = postgres.config('supabase_admin')
    expect(
      await sendRequest(file, `select bool_and(auth_method = 'scram-sha-256') from pg_hba_file_rules`),
    ).toBe(true)
  })

  test('has its socket in a folder of its own, and no TCP port', async () => {
    expect(statSync(postgres.socketDir).mode & 0o777).toBe(0o700)
    expect(await sendRequest(postgres.config('supabase_admin'), 'show listen_addresses')).toBe('')
  })

  test.runIf(isRoot)('runs as another user than root', () => {
    expect(statSync(`/proc/${postgres.pid}`).uid).not.toBe(0)
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(statSync(`/proc/${postgres.pid}`).uid)
  })

  test('is not started twice in one process', async () => {
    expect(await failure(start(dataDir))).toMatch(/^StartError: PostgreSQL runs on .* already/)
  })

  test('names the holder of the data to a second start', async () => {
    postgres.recordUrl('http://127.0.0.1:4280')
    expect(await failure(freshStart(dataDir))).toMatch(
      new RegExp(
        `^StartError: ${dataDir} is in use: Linnet at http://127.0.0.1:4280 \\(process ${process.pid}, since .*\\)\\.`,
      ),
    )
    expect(await sendRequest(postgres.config('postgres'), 'select 1')).toBe(1)
  })
})

describe('after an end', () => {
  const dataDir = temporaryFolder()
  beforeAll(() => fillInitialised(dataDir))
  afterEach(async () => {
    for (const postgres of started.splice(0)) await postgres.stop()
  })
  const count = (postgres: Postgres): Promise<unknown> =>
    sendRequest(postgres.config('postgres'), 'select count(*)::int from kept')
  const keep = (postgres: Postgres): Promise<unknown> =>
    sendRequest(postgres.config('postgres'), 'insert into kept values (1)')

  test('a clean stop leaves nothing running and no lock', async () => {
    const postgres = await start(dataDir)
    await sendRequest(postgres.config('supabase_admin'), 'grant create on schema public to postgres')
    await sendRequest(postgres.config('postgres'), 'create table kept (id int)')
    await keep(postgres)
    const client = new Client(postgres.config('postgres'))
    client.on('error', () => {})
    await client.connect()
    await postgres.stop()
    await postgres.stop()
    expect(await postgres.exited).toBe(0)
    expect(isAlive(postgres.pid)).toBe(false)
    expect(existsSync(join(dataDir, 'linnet.lock'))).toBe(false)
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('a killed postmaster is noticed, and the next start recovers', async () => {
    const postgres = await start(dataDir)
    await keep(postgres)
    const client = new Client(postgres.config('postgres'))
    client.on('error', () => {})
    await client.connect()
    process.kill(postgres.pid, 'SIGKILL')
    expect(await postgres.exited).toBe(null)
    const next = await start(dataDir)
    expect(await count(next)).toBe(2)
  })

  test('a restart that fails keeps the lock, which the stop then releases', async () => {
    const postgres = await start(dataDir)
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.exited
    const version = join(dataDir, 'postgres', 'PG_VERSION')
    const made = readFileSync(version, 'utf8')
    writeFileSync(version, '15\n')
    const restart = await failure(start(dataDir))
    const secondServer = await failure(freshStart(dataDir))
    writeFileSync(version, made)
    expect(restart).toMatch(/^StartError: .* was created by PostgreSQL 15/)
    expect(secondServer).toMatch(/^StartError: .* is in use/)
    expect(await count(await start(dataDir))).toBe(2)
    process.kill(started.at(-1)!.pid, 'SIGKILL')
    await started.at(-1)!.exited
    await postgres.stop()
    expect(existsSync(join(dataDir, 'linnet.lock'))).toBe(false)
  })

  test('a restart does not back up the data', async () => {
    const supabase = temporaryFolder()
    mkdirSync(join(supabase, 'migrations'))
    finishSchemaChange(dataDir, supabase)
    const options: StartOptions = { dataDir, backUpBeforeMigrationsOf: supabase }
    const first = await startPostgres(options)
    started.push(first)
    writeFileSync(join(supabase, 'migrations', '1_a.sql'), 'select 1;')
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    started.push(await startPostgres(options))
    expect(existsSync(join(dataDir, 'backups'))).toBe(false)
    expect(willChangeSchema(dataDir, supabase)).toBe(true)
  })

  test('an orphaned PostgreSQL is ended, and its data are intact', async () => {
    const orphan = await start(dataDir)
    await keep(orphan)
    // As after kill -9 of the server: the postmaster lives, the lock's process does not.
    const lock = JSON.parse(readFileSync(join(dataDir, 'linnet.lock'), 'utf8')) as { identity: string }
    writeFileSync(join(dataDir, 'linnet.lock'), JSON.stringify({ ...lock, identity: 'an earlier process' }))
    // The system releases the lock of a killed process.
    rmSync(join(dataDir, 'linnet.flock'))
    const next = await freshStart(dataDir)
    expect(await orphan.exited).toBe(0)
    expect(next.pid).not.toBe(orphan.pid)
    expect(await count(next)).toBe(3)
  })

  test('a process id that was reused by another process is not taken for PostgreSQL', async () => {
    const postgres = await start(dataDir)
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.exited
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    const [, ...rest] = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [process.pid, ...rest].join('\n'))
    expect(await count(await start(dataDir))).toBe(3)
  })

  test.each([
    ['of a dead process', { pid: 2 ** 22 - 1, identity: 'x', host: hostname() }],
    [
      'whose process id was used again',
      { pid: process.pid, identity: 'an earlier process', host: hostname() },
    ],
    ['of a container that is gone', { pid: 1, identity: 'x', host: 'gone', since: 'then' }],
  ])('a stale lock %s is taken over', async (_, holder) => {
    const space = holder.host === 'gone' ? 'pid:[1]' : pidNamespace()
    writeFileSync(
      join(dataDir, 'linnet.lock'),
      JSON.stringify({ since: 'then', url: null, space, ...holder }),
    )
    expect(await count(await start(dataDir))).toBe(3)
  })

  test('an unfinished lock is taken over', async () => {
    writeFileSync(join(dataDir, 'linnet.lock'), '{"pid": 1')
    expect(await count(await start(dataDir))).toBe(3)
  })
})

describe('errors of a start are sentences', () => {
  afterEach(async () => {
    for (const postgres of started.splice(0)) await postgres.stop()
  })

  test('data of another version', async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'postgres'), { mode: 0o700 })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    writeFileSync(join(dataDir, 'postgres-passwords.json'), '{}')
    expect(await failure(start(dataDir))).toMatch(
      /^StartError: .* was created by PostgreSQL 15; this Linnet includes 18/,
    )
    expect(existsSync(join(dataDir, 'linnet.lock'))).toBe(false)
  })

  test('a folder that holds something else', async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres-passwords.json'), '{}')
    expect(await failure(start(dataDir))).toMatch(/^StartError: .* is not a data folder of PostgreSQL/)
  })

  test('data without their passwords', async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'postgres'))
    expect(await failure(start(dataDir))).toMatch(/^StartError: .*postgres-passwords.json is missing/)
  })

  test('a file in place of the folder', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await failure(start(file))).toMatch(/^StartError: .* is not a folder/)
    expect(await failure(start(join(file, 'below')))).toMatch(/^StartError: /)
  })

  test.runIf(isRoot)('a folder that PostgreSQL, running as another user, can not enter', async () => {
    const above = temporaryFolder()
    chmodSync(above, 0o700)
    expect(await failure(start(join(above, 'data')))).toMatch(
      new RegExp(`^StartError: .*runs as nobody, who can't enter ${above} .*chmod o\\+x`),
    )
    expect(existsSync(join(above, 'data', 'postgres'))).toBe(false)
  })

  test.runIf(isRoot)('a TCP port in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    const dataDir = temporaryFolder()
    await fillInitialised(dataDir)
    expect(await failure(start(dataDir, port))).toMatch(/^StartError: Port \d+ is in use/)
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
})

describe('places', () => {
  test('a long path with spaces, quotes and other scripts, and a TCP port', async () => {
    const dataDir = join(temporaryFolder(), `Anna's "daten" Папка ${'long '.repeat(30)}`, 'linnet')
    chmodSync(folders.at(-1)!, 0o755)
    await fillInitialised(dataDir)
    const port = await findFreePort()
    const postgres = await start(dataDir, port)
    expect(await sendRequest({ ...postgres.config('postgres'), host: '127.0.0.1' }, 'select 1')).toBe(1)
    // A first start that was killed leaves half of it behind.
    await postgres.stop()
    mkdirSync(join(dataDir, 'postgres.new-1', 'base'), { recursive: true })
    rmSync(join(dataDir, 'postgres'), { recursive: true })
    const next = await start(dataDir)
    expect(readdirSync(dataDir).sort()).toEqual([
      'extensions',
      'linnet.flock',
      'linnet.lock',
      'postgres',
      'postgres-passwords.json',
    ])
    const standIns = `select 1 from pg_available_extensions where name = 'pgjwt'`
    expect(await sendRequest(next.config('postgres'), standIns)).toBe(1)
    const pool = createPool(next.config('postgres'), { max: 1, name: 'test' })
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
    await next.stop()
  })

  test('a path with a colon, which separates extension paths', async () => {
    const dataDir = join(temporaryFolder(), 'a:b')
    chmodSync(folders.at(-1)!, 0o755)
    await fillInitialised(dataDir)
    const postgres = await start(dataDir)
    const standIns = `select 1 from pg_available_extensions where name = 'pgjwt'`
    expect(await sendRequest(postgres.config('postgres'), standIns)).toBe(1)
    await postgres.stop()
  })

  test.runIf(isRoot)('data of another user are served as that user', async () => {
    const dataDir = temporaryFolder()
    const daemon = Number(execFileSync('id', ['-u', 'daemon'], { encoding: 'utf8' }))
    chownSync(dataDir, daemon, daemon)
    const postgres = await start(dataDir)
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(daemon)
    await postgres.stop()
  })
})
