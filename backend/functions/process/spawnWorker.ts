import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'

/** A little behind the house and PostgreSQL: a function that answers somebody is not to starve either. */
const niceness = 2

/** What stands in the way of others gets what they leave. */
const outOfTheWay = constants.priority.PRIORITY_LOW

function setNiceness(pid: number, value: number): void {
  try {
    setPriority(pid, value)
  } catch {
    // It has ended already, or the system does not let us.
  }
  // Linux weighs sessions against each other first where autogroups are on.
  tellKernel(pid, 'autogroup', String(value))
}

/** A file of Linux alone, which not every container lets us write. */
function tellKernel(pid: number, file: string, text: string): void {
  void writeFile(`/proc/${pid}/${file}`, text).catch(() => {})
}

/** Puts a worker that does not let others go first behind them, for good: only root could take that back. */
export function demote(pid: number): void {
  setNiceness(pid, outOfTheWay)
}

/**
 * Starts a process that waits for a function: with nothing of our environment, in a group of its own, behind
 * everything of ours for CPU and before it when memory runs out. Its channel is `stdio[3]`.
 */
export function spawnWorker(code: string, heapMb: number): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMb}`,
      '--max-semi-space-size=8',
      '--no-deprecation',
      // Node 20 has it behind a flag.
      ...('WebSocket' in globalThis ? [] : ['--experimental-websocket']),
      code,
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: {}, cwd: '/' },
  )
  const { pid } = child
  if (pid === undefined) return child
  setNiceness(pid, niceness)
  // When memory runs out, the kernel ends these first.
  tellKernel(pid, 'oom_score_adj', '1000')
  return child
}
