import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { parentDeathCommand, postgresEnvironment } from './childProcess.ts'
import type { OsUser } from './osUser.ts'
import { StartError } from './StartError.ts'

interface Initialise {
  binaries: Binaries
  /** Created completely or not at all. */
  data: string
  user: OsUser
  /** Of supabase_admin. */
  password: string
}

/**
 * Creates a data folder: UTF-8 with PostgreSQL's builtin C.UTF-8 collation, which is the same on every system, so that
 * no index breaks with an update of the C library. `LC_CTYPE` is a UTF-8 locale of the system (pg_trgm classifies
 * letters by it), whatever the environment variables are.
 */
export async function initialiseData(o: Initialise): Promise<void> {
  removeUnfinished(o.data)
  // A unique name: an initdb that has outlived its killed server may still write to an earlier one.
  const fresh = `${o.data}.new-${process.pid}`
  const passwordFile = `${fresh}.password`
  let lastOutput = ''
  for (const locale of utf8Locales()) {
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { mode: 0o700 })
    writeFileSync(passwordFile, o.password, { mode: 0o600 })
    if (o.user.isSwitched) {
      chownSync(fresh, o.user.uid, o.user.gid)
      chownSync(passwordFile, o.user.uid, o.user.gid)
    }
    const { code, output } = await initdb(o, fresh, passwordFile, locale)
    rmSync(passwordFile)
    if (code === 0) {
      writeFileSync(join(fresh, 'postgresql.conf'), "include_if_exists = 'linnet.conf'\n")
      renameSync(fresh, o.data)
      return
    }
    lastOutput = output
    if (!/invalid locale/.test(output)) break
  }
  rmSync(fresh, { recursive: true, force: true })
  throw new StartError(`PostgreSQL could not create its data folder ${o.data}: ${lastOutput.trim()}`)
}

/** Removes what killed starts have left behind. */
function removeUnfinished(data: string): void {
  const parent = dirname(data)
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(data)}.new`)) continue
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function initdb(
  { binaries, user, data }: Initialise,
  fresh: string,
  passwordFile: string,
  locale: string,
): Promise<{ code: number | null; output: string }> {
  const [command, ...args] = [...parentDeathCommand('KILL'), binaries.initdb]
  const child = spawn(
    command!,
    [
      ...args,
      `--pgdata=${fresh}`,
      '--username=supabase_admin',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      `--locale=${locale}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      // One sync of the file system instead of one for each of a thousand files.
      ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: join(data, '..'),
      env: postgresEnvironment(),
      ...(user.isSwitched ? { uid: user.uid, gid: user.gid } : {}),
    },
  )
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', (error) => {
      output += error.message
      resolve(null)
    })
  })
  return { code, output }
}

/** Names of UTF-8 locales in the order in which they are tried; the first exists nearly everywhere. */
function* utf8Locales(): Generator<string> {
  yield 'C.UTF-8'
  yield 'en_US.UTF-8'
  const { stdout } = spawnSync('/usr/bin/locale', ['-a'], { encoding: 'utf8' })
  for (const name of (stdout ?? '').split('\n')) if (/\.utf-?8$/i.test(name)) yield name
}
