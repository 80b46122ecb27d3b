import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { findFreePort } from '../../backend/postgres/server/findFreePort.ts'
import { StartError } from '../../backend/postgres/server/StartError.ts'
import { startPostgres } from '../../backend/postgres/server/startPostgres.ts'
import { endWithThisProcess, temporaryData } from '../../tests/support/server.ts'
import { cpuOfProcessTree } from '../load/usage.ts'
import type { Contender } from '../realtime/contenders.ts'
import { xmppDomain, xmppPassword } from './openXmppSubscriber.ts'

export interface Ejabberd extends Contender {
  /** Such as `23.01`. */
  version: string
  /** Number of messages in the archive. */
  countArchived(): Promise<number>
  end(): Promise<void>
}

const startTimeoutMs = 60_000
const database = 'ejabberd'
const schema = '/usr/share/ejabberd/sql/pg.sql'

interface Installation {
  /** The folder that contains the folder of ejabberd, for ERL_LIBS. */
  libraries: string
  version: string
}

/** Names in a folder; none if it does not exist. */
const listFolder = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/**
 * Finds Debian's ejabberd and its driver for PostgreSQL. Throws StartError, a sentence for the terminal, if they are not
 * installed.
 */
export function findEjabberd(): Installation {
  const found = listFolder('/usr/lib').flatMap((name) => {
    const libraries = join('/usr/lib', name)
    const version = name.endsWith('-linux-gnu')
      ? listFolder(libraries).flatMap((inner) => /^ejabberd-([\d.]+)/.exec(inner)?.[1] ?? [])[0]
      : undefined
    return version === undefined ? [] : [{ libraries, version }]
  })[0]
  const hasDriver = listFolder('/usr/lib/erlang/lib').some((name) => name.startsWith('p1_pgsql-'))
  if (found && hasDriver && existsSync(schema)) return found
  throw new StartError(
    'The part peers compares with ejabberd, which is not installed with its driver for PostgreSQL. On Debian, run as root: ' +
      'apt-get install --no-install-recommends ejabberd erlang-p1-pgsql',
  )
}

/**
 * The settings of ejabberd: accounts and the archive of rooms (XEP-0313) in PostgreSQL. TLS, key derivation at sign-in,
 * limits of rates and the presence of all members to all others are off, so that they cost nothing. The room is persistent:
 * a temporary one would be deleted with its archive when its last member leaves.
 */
const renderSettings = (o: { port: number; dbPort: number; password: string }): string => `
loglevel: warning
hosts: [${xmppDomain}]
auth_method: sql
auth_password_format: plain
sql_type: pgsql
sql_server: "127.0.0.1"
sql_port: ${o.dbPort}
sql_database: ${database}
sql_username: supabase_admin
sql_password: "${o.password}"
max_fsm_queue: 10000
listen:
  - port: ${o.port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    backlog: 4096
    starttls: false
modules:
  mod_mam:
    db_type: sql
    default: never
  mod_muc:
    max_users: 10000
    default_room_options:
      mam: true
      persistent: true
      max_users: 10000
      presence_broadcast: [moderator]
`

/** Creates the database with the accounts `user0` to `user<count - 1>`. */
async function createDatabase(config: ClientConfig, count: number): Promise<void> {
  const admin = new Client(config)
  await admin.connect()
  await admin.query(`create database ${database}`)
  await admin.end()
  const client = new Client({ ...config, database })
  await client.connect()
  await client.query(readFileSync(schema, 'utf8'))
  await client.query(
    `insert into users (username, password) select 'user' || n, $2 from generate_series(0, $1::int - 1) n`,
    [count, xmppPassword],
  )
  await client.end()
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * ejabberd with an account for each member, of whom the first `senders` send in turn; on the loopback interface, without a
 * name in Erlang's network. Its database is the PostgreSQL that Linnet includes, with the same settings, so that only the
 * servers differ.
 */
export async function startEjabberd(
  { libraries, version }: Installation,
  o: { members: number; senders: number },
): Promise<Ejabberd> {
  const data = temporaryData()
  const dbPort = await findFreePort()
  const postgres = await startPostgres({ dataDir: data.dir, port: dbPort })
  const endings = [() => postgres.stop()]
  const end = async (): Promise<void> => {
    for (const ending of endings.reverse()) await ending()
    data.remove()
  }
  try {
    const config = postgres.config('supabase_admin')
    await createDatabase(config, o.members)
    const port = await findFreePort()
    const settings = join(data.dir, 'ejabberd.yml')
    writeFileSync(settings, renderSettings({ port, dbPort, password: String(config.password) }))
    const child = spawn(
      'erl',
      [
        '-noinput',
        // Without it, small writes to PostgreSQL wait 40 ms for delayed acknowledgements.
        '-kernel',
        'inet_default_connect_options',
        '[{nodelay,true}]',
        '-mnesia',
        'dir',
        JSON.stringify(join(data.dir, 'mnesia')),
        '-s',
        'ejabberd',
      ],
      {
        cwd: data.dir,
        stdio: 'ignore',
        env: {
          PATH: process.env['PATH'],
          HOME: data.dir,
          ERL_LIBS: libraries,
          ERL_CRASH_DUMP: join(data.dir, 'crash.dump'),
          EJABBERD_CONFIG_PATH: settings,
          EJABBERD_LOG_PATH: join(data.dir, 'ejabberd.log'),
        },
      },
    )
    endWithThisProcess(child)
    const ended = once(child, 'exit')
    endings.push(async () => {
      child.kill('SIGTERM')
      await ended
    })
    for (const deadline = Date.now() + startTimeoutMs; !(await isListening(port)); await sleep(100)) {
      if (child.exitCode !== null || Date.now() > deadline) {
        const log = readFileSync(join(data.dir, 'ejabberd.log'), 'utf8')
        throw new Error(`ejabberd did not start. The end of its log: ${log.slice(-4_000)}`)
      }
    }
    return {
      version,
      pid: child.pid!,
      url: `xmpp://127.0.0.1:${port}/bench@conference.${xmppDomain}`,
      join: (n) => `user${n}`,
      openSender: { kind: 'speak', by: { senders: o.senders } },
      cpu: () => ({ server: cpuOfProcessTree(child.pid!), database: cpuOfProcessTree(postgres.pid) }),
      async countArchived() {
        const client = new Client({ ...config, database })
        await client.connect()
        const { rows } = await client.query<{ count: number }>('select count(*)::int as count from archive')
        await client.end()
        return rows[0]!.count
      },
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}
