import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, type ClientConfig } from 'pg'
import { findBinaries, type Binaries } from './binaries.ts'
import { postgresUser, type OsUser } from './osUser.ts'
import { StartError } from './StartError.ts'

/** Roles that log in. `supabase_admin` is the only superuser: for set-up alone. */
export const serviceRoles = [
  'postgres',
  'authenticator',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
] as const
export type ServiceRole = (typeof serviceRoles)[number]

export interface Postgres {
  /** Process id of the postmaster. */
  pid: number
  /** Folder of the unix socket. */
  socketDir: string
  /** In the socket's name, and the TCP port where one was asked for. */
  port: number
  /** Major version, such as 18. */
  version: number
  config(role: ServiceRole): ClientConfig
  /** Fast shutdown; resolves when the process is gone. */
  stop(): Promise<void>
  /** Exit code of the postmaster, whoever ended it; null when by a signal. */
  exited: Promise<number | null>
}

export interface StartOptions {
  /** PostgreSQL's files go to `<dataDir>/postgres`. */
  dataDir: string
  /** Also listen on TCP, on the loopback interface. */
  port?: number
  log?: (line: string) => void
}

const readyLine = 'database system is ready to accept connections'

/** Starts PostgreSQL on `<dataDir>/postgres`, made if missing. Throws StartError with a sentence. */
export async function startPostgres(o: StartOptions): Promise<Postgres> {
  const dataDir = resolve(o.dataDir)
  const data = join(dataDir, 'postgres')
  const binaries = findBinaries()
  mkdirSync(dataDir, { recursive: true })
  const user = postgresUser([data, dataDir])
  if (!user)
    throw new StartError('PostgreSQL refuses to run as root and there is no user "nobody" to run it as.')
  if (user.switched) chmodSync(dataDir, lstatSync(dataDir).mode | 0o011)
  const passwords = readPasswords(dataDir)
  if (!existsSync(data)) await initialise({ binaries, data, user, password: passwords.supabase_admin })
  const socketDir = makeSocketDir(data, user)
  const port = o.port ?? 5432
  writeFileSync(join(data, 'linnet.conf'), settings({ socketDir, port, tcp: o.port !== undefined }))
  const child = spawn(binaries.postgres, ['-D', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: environment(),
    ...(user.switched ? { uid: user.uid, gid: user.gid } : {}),
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code))
    child.once('error', () => resolve(null))
  })
  await ready(child, exited, o.log)
  const config = (role: ServiceRole): ClientConfig => ({
    host: socketDir,
    port,
    user: role,
    password: passwords[role],
    database: 'postgres',
  })
  await makeLogins(config('supabase_admin'), passwords)
  return {
    pid: child.pid!,
    socketDir,
    port,
    version: binaries.major,
    config,
    exited,
    async stop() {
      child.kill('SIGINT')
      await exited
    },
  }
}

function readPasswords(dataDir: string): Record<ServiceRole, string> {
  const file = join(dataDir, 'postgres-passwords.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Record<ServiceRole, string>
  const made = Object.fromEntries(
    serviceRoles.map((role) => [role, randomBytes(24).toString('base64url')]),
  ) as Record<ServiceRole, string>
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 })
  return made
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8', TZ: 'UTC' }
}

async function initialise(o: {
  binaries: Binaries
  data: string
  user: OsUser
  password: string
}): Promise<void> {
  const fresh = `${o.data}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  const pwfile = `${o.data}.pw`
  writeFileSync(pwfile, o.password, { mode: 0o600 })
  if (o.user.switched) {
    chownSync(fresh, o.user.uid, o.user.gid)
    chownSync(pwfile, o.user.uid, o.user.gid)
  }
  const child = spawn(
    o.binaries.initdb,
    [
      '-D',
      fresh,
      '-U',
      'supabase_admin',
      '-A',
      'scram-sha-256',
      `--pwfile=${pwfile}`,
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
      ...(o.user.switched ? { uid: o.user.uid, gid: o.user.gid } : {}),
    },
  )
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdout.resume()
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  })
  rmSync(pwfile)
  if (code !== 0) throw new StartError(`PostgreSQL could not make its data folder: ${said.trim()}`)
  writeFileSync(join(fresh, 'postgresql.conf'), "include_if_exists = 'linnet.conf'\n")
  renameSync(fresh, o.data)
}

function makeSocketDir(data: string, user: OsUser): string {
  const dir = join(tmpdir(), `linnet-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (user.switched) chownSync(dir, user.uid, user.gid)
  return dir
}

function settings(o: { socketDir: string; port: number; tcp: boolean }): string {
  return `
unix_socket_directories = '${o.socketDir}'
unix_socket_permissions = 0700
listen_addresses = '${o.tcp ? '127.0.0.1' : ''}'
port = ${o.port}
wal_level = logical
max_connections = 60
shared_buffers = 32MB
jit = off
`
}

async function ready(
  child: ChildProcess,
  exited: Promise<number | null>,
  log?: (line: string) => void,
): Promise<void> {
  const lines: string[] = []
  const listening = new Promise<true>((resolve) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      log?.(line)
      lines.push(line)
      if (line.includes(readyLine)) resolve(true)
    })
  })
  const first = await Promise.race([listening, exited])
  if (first !== true) throw new StartError(`PostgreSQL did not start: ${lines.join('\n')}`)
}

async function makeLogins(config: ClientConfig, passwords: Record<ServiceRole, string>): Promise<void> {
  const client = new Client(config)
  await client.connect()
  try {
    const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles')
    const known = new Set(rows.map((row) => row.rolname))
    for (const role of serviceRoles) {
      if (!known.has(role)) {
        await client.query(`create role ${role} login password ${client.escapeLiteral(passwords[role])}`)
      }
    }
  } finally {
    await client.end()
  }
}
