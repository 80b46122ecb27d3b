import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pidNamespace, processIdentity } from '../postgres/server/processIdentity.ts'
import { writeRunningServer, type RunningServer } from '../startup/runningServer.ts'
import { clientEnvironment } from './clientEnvironment.ts'
import { findClient, renderInstallation } from './findClient.ts'
import { runCommand } from './linnet.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-client-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

/** A program that prints its version, and otherwise runs `script`. Returns its folder. */
function installClient(program: string, version: string, script = 'true'): string {
  const folder = join(dir, version, 'bin')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, program)
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${program} (PostgreSQL) ${version}"; else ${script}\nfi\n`,
  )
  chmodSync(file, 0o755)
  return folder
}

const debian = { platform: 'linux' as const, osRelease: 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' }

it('chooses the nearest pg_dump that can read the database', () => {
  const folders = ['15.4', '19.1', '18.2', '17.0'].map((version) => installClient('pg_dump', version))
  expect(findClient('pg_dump', 18, { folders })).toBe(join(dir, '18.2', 'bin', 'pg_dump'))
  expect(findClient('pg_dump', 16, { folders })).toBe(join(dir, '17.0', 'bin', 'pg_dump'))
})

it('uses an older psql, but no older pg_dump, and prints what to install', () => {
  const folders = [...['psql', 'pg_dump'].map((program) => installClient(program, '15.4')), join(dir, 'none')]
  expect(findClient('psql', 18, { folders })).toBe(join(dir, '15.4', 'bin', 'psql'))
  expect(() => findClient('pg_dump', 18, { folders, ...debian })).toThrow(
    `pg_dump 15 is installed, but the database is PostgreSQL 18, and pg_dump refuses newer databases. Install pg_dump 18:
  sudo apt-get install -y postgresql-common
  sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y
  sudo apt-get install -y postgresql-client-18`,
  )
  expect(() => findClient('psql', 18, { folders: [], ...debian })).toThrow('psql is not installed.')
})

it.each([
  ['ID=alpine\n', 'apk add postgresql18-client'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'dnf install -y postgresql18'],
  ['ID=fedora\n', 'dnf install -y postgresql18'],
  ['ID=arch\n', 'pacman -S postgresql-libs'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', 'zypper install postgresql18'],
  ['', 'https://www.postgresql.org/download/'],
])('names the packages of %j', (osRelease, command) => {
  expect(renderInstallation(18, 'linux', osRelease)).toContain(command)
})

it('passes the connection in the environment, without variables of the caller', () => {
  vi.stubEnv('PGSERVICE', 'other')
  const url = 'postgresql://postgres:p%40ss@/postgres?host=%2Ftmp%2Flinnet-1&port=5432'
  expect(clientEnvironment(url)).toMatchObject({
    PGHOST: '/tmp/linnet-1',
    PGPORT: '5432',
    PGUSER: 'postgres',
    PGPASSWORD: 'p@ss',
    PGDATABASE: 'postgres',
  })
  expect(clientEnvironment(url)).not.toHaveProperty('PGSERVICE')
})

describe('linnet db dump', () => {
  /** Files of a running server, whose process is this one. */
  function writeStateFiles(): void {
    const holder = {
      pid: process.pid,
      identity: processIdentity(process.pid),
      host: hostname(),
      space: pidNamespace(),
    }
    writeFileSync(join(dir, 'linnet.lock'), JSON.stringify({ ...holder, since: '', url: null }))
    const dbUrl = 'postgresql://postgres:secret-word@127.0.0.1:1/postgres'
    writeRunningServer(dir, { url: '', dbUrl, pids: { server: process.pid, db: 1 } } as RunningServer)
    mkdirSync(join(dir, 'postgres'))
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '18\n')
  }
  const out = (): string => join(dir, 'dump.sql')
  const dump = (): Promise<number> =>
    runCommand(['db', 'dump', '--data', dir, '--out', out(), '--', '--schema-only', '--help'], '/nowhere')

  it('writes a complete file that only its owner can read, and passes no password as an argument', async () => {
    writeStateFiles()
    vi.stubEnv('PATH', `${installClient('pg_dump', '99.0', 'echo "args $*"; echo "$PGUSER"')}:/bin:/usr/bin`)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await dump()).toBe(0)
    expect(readFileSync(out(), 'utf8')).toBe('args --schema-only --help\npostgres\n')
    expect(statSync(out()).mode & 0o777).toBe(0o600)
    expect(stderr.mock.calls.join('')).toContain('bytes in')
  })

  it('leaves the previous file if pg_dump fails', async () => {
    writeStateFiles()
    writeFileSync(out(), 'previous')
    vi.stubEnv(
      'PATH',
      `${installClient('pg_dump', '99.0', 'echo half; echo "no rights" >&2; exit 3')}:/bin:/usr/bin`,
    )
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await dump()).toBe(3)
    expect(readFileSync(out(), 'utf8')).toBe('previous')
    expect(stderr.mock.calls.join('')).toMatch(/no rights[\s\S]*failed/)
  })
})
