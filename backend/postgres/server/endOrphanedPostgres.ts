import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, servesData } from './processIdentity.ts'
import { StartError } from './StartError.ts'

/** Fast shutdown first, which ends sessions cleanly; then immediate shutdown and kill, after which PostgreSQL recovers. */
const signals: [signal: NodeJS.Signals, timeoutMs: number][] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
]

/**
 * Ends a PostgreSQL that a killed server has left running on this data folder, found through `postmaster.pid`.
 * The caller holds the lock of the data, so no living server owns it.
 * @returns its process id, or null where there was none
 */
export async function endOrphanedPostgres(data: string): Promise<number | null> {
  const file = join(data, 'postmaster.pid')
  const pid = readPid(file)
  if (pid === null) return null
  if (!isAlive(pid)) return null
  if (!servesData(pid, data)) {
    // Another process has this id now. PostgreSQL would take it for a running server and refuse to start.
    rmSync(file, { force: true })
    return null
  }
  for (const [signal, timeoutMs] of signals) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return pid
      throw new StartError(
        `PostgreSQL (process ${pid}) still runs on ${data} as another user and can't be ended from here. ` +
          `End it as its user or as root: kill ${pid}`,
      )
    }
    if (await hasExited(pid, timeoutMs)) return pid
  }
  throw new StartError(`PostgreSQL (process ${pid}) still runs on ${data} and does not end.`)
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return pid > 0 ? pid : null
  } catch {
    return null
  }
}

/** It is not a child of this process, so its exit is not signalled: poll. */
async function hasExited(pid: number, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end;) {
    if (!isAlive(pid)) return true
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
  return !isAlive(pid)
}
