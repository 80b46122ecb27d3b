import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { RunningServer } from '../../backend/startup/runningServer.ts'

/** A server in its own process, started by the command line. */
export interface Server extends RunningServer {
  /** Sends the signal to the server's process, waits for its exit and returns the exit code and output. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>
}

/** Creates a data folder. `remove` deletes it. */
export function temporaryData(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-data-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(dir, 0o755)
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** The functions that end the processes of this one. They are used after a signal, when no `finally` runs. */
const endsOfProcesses = new Set<() => Promise<unknown>>()

/** Registers a process until it has exited. */
export function endWithThisProcess(child: ChildProcess): void {
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const end = (): Promise<unknown> => {
    child.kill('SIGTERM')
    return exited
  }
  endsOfProcesses.add(end)
  void exited.then(() => endsOfProcesses.delete(end))
}

/** Ends all registered processes and waits for their exits. */
export async function endRunningProcesses(): Promise<void> {
  await Promise.all([...endsOfProcesses].map((end) => end()))
}

/**
 * Runs `linnet start --json` on `dataDir`. Resolves when the server is ready. Rejects with its output if it exits
 * before that.
 */
export async function startServer(o: {
  root: string
  dataDir: string
  args?: string[]
  env?: Record<string, string>
  /** The program that runs it; the Node of this process unless given. */
  node?: string
  /** The module of the command `linnet`; the checkout's unless given. */
  command?: string
}): Promise<Server> {
  const child = spawn(
    o.node ?? process.execPath,
    [
      o.command ?? join(o.root, 'bin/linnet'),
      'start',
      '--json',
      '--port',
      '0',
      '--data',
      o.dataDir,
      ...(o.args ?? []),
    ],
    {
      cwd: o.root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A backup would be written beside the temporary data folder.
      env: { LINNET_BACKUP_ENABLED: 'false', ...process.env, ...o.env },
    },
  )
  endWithThisProcess(child)
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-8000)
  })
  const line = await Promise.race([
    new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).once('line', resolve)
    }),
    ended.then(() => null),
  ])
  if (line === null) throw new Error(`The server exited before it was ready. Output: ${stderr.trim()}`)
  return {
    ...(JSON.parse(line) as RunningServer),
    async end(signal) {
      child.kill(signal)
      return { code: await ended, stderr }
    },
  }
}
