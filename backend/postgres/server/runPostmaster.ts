import { spawn, type ChildProcess } from 'node:child_process'
import { rmdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Binaries } from './binaries.ts'
import { parentDeathCommand, postgresEnvironment } from './childProcess.ts'
import type { OsUser } from './osUser.ts'
import { StartError } from './StartError.ts'

interface Run {
  binaries: Binaries
  data: string
  user: OsUser
  socketDir: string
  port: number
  /** On TCP too. */
  listen: boolean
  /** Settings that override the files. */
  settings?: Readonly<Record<string, string>> | undefined
  log?: ((line: string) => void) | undefined
}

interface Postmaster {
  pid: number
  exited: Promise<number | null>
  stop(): Promise<void>
}

const readyLine = 'database system is ready to accept connections'
/** Children of a killed postmaster take a moment to exit; until then the next one can't start. */
const predecessorStillRunning = /pre-existing shared memory block|lock file ".*" (already exists|is empty)/
const predecessorTimeoutMs = 10_000
/** A fast shutdown waits for replication readers; after this time an immediate shutdown follows. */
const shutdownTimeoutMs = 15_000

/** Starts the postmaster; resolves when it accepts connections, recovery included. Throws StartError. */
export async function runPostmaster(run: Run): Promise<Postmaster> {
  for (const end = Date.now() + predecessorTimeoutMs; ;) {
    const child = launch(run)
    const exited = exitOf(child)
    const lines: string[] = []
    if (await isReady(child, exited, lines, run.log))
      return { pid: child.pid!, exited, stop: () => stop(child, exited, run.socketDir) }
    const output = lines.join('\n')
    if (!predecessorStillRunning.test(output) || Date.now() > end) throw toStartError(output, run)
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
}

function launch({ binaries, data, user, socketDir, port, listen, settings = {} }: Run): ChildProcess {
  const command = [
    ...parentDeathCommand('INT'),
    binaries.postgres,
    '-D',
    data,
    `--unix_socket_directories=${quoteListItem(socketDir)}`,
    '--unix_socket_permissions=0700',
    `--listen_addresses=${listen ? '127.0.0.1' : ''}`,
    `--port=${port}`,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  return spawn(command[0]!, command.slice(1), {
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C in the terminal must reach only this process, which stops the database last.
    detached: true,
    env: postgresEnvironment(),
    ...(user.isSwitched ? { uid: user.uid, gid: user.gid } : {}),
  })
}

/** A path as one item of a list setting, whatever characters it has. */
function quoteListItem(path: string): string {
  return `"${path.replaceAll('"', '""')}"`
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code))
    child.once('error', () => resolve(null))
  })
}

async function isReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  lines: string[],
  log: Run['log'],
): Promise<boolean> {
  let starting = true
  const reader = createInterface({ input: child.stderr! })
  const listening = new Promise<true>((resolve) => {
    reader.on('line', (line) => {
      log?.(line)
      if (!starting) return
      lines.push(line)
      if (line.includes(readyLine)) resolve(true)
    })
  })
  // The last lines, with the reason, may arrive after the exit.
  const ended = Promise.all([exited, new Promise((resolve) => reader.once('close', resolve))])
  child.once('error', (error) => {
    lines.push(error.message)
    reader.close()
  })
  const first = await Promise.race([listening, ended])
  starting = false
  return first === true
}

async function stop(child: ChildProcess, exited: Promise<number | null>, socketDir: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), shutdownTimeoutMs)
  await exited
  clearTimeout(timer)
  try {
    rmdirSync(socketDir)
  } catch {
    // It has other files and is not removed.
  }
}

function toStartError(output: string, { data, port }: Run): StartError {
  const cause = { cause: new Error(output) }
  if (/could not bind|could not create any TCP/.test(output)) {
    return new StartError(
      `Port ${port} is in use, so PostgreSQL can't listen there. Choose another with --db-port.`,
      cause,
    )
  }
  if (/No space left on device/.test(output)) {
    return new StartError(
      `The disk is full: PostgreSQL can't start on ${data}. Free some space and start again.`,
      cause,
    )
  }
  const reasons = output
    .split('\n')
    .filter((line) => /FATAL|PANIC|ERROR|HINT|DETAIL|parameter|not found|error/i.test(line))
  return new StartError(
    `PostgreSQL does not start on ${data}: ${(reasons.length ? reasons : [output]).join(' ')}`,
    cause,
  )
}
