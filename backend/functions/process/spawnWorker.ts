import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'

/** Slightly lower priority than the server and PostgreSQL, without starving functions. */
const niceness = 2

/** For workers that block their event loop. */
const lowPriority = constants.priority.PRIORITY_LOW

function setNiceness(pid: number, value: number): void {
  try {
    setPriority(pid, value)
  } catch {
    // The process has exited, or the system does not permit it.
  }
  // With autogroups enabled, Linux schedules sessions against each other first.
  writeProcFile(pid, 'autogroup', String(value))
}

/** Only on Linux, and not writable in every container. */
function writeProcFile(pid: number, file: string, text: string): void {
  void writeFile(`/proc/${pid}/${file}`, text).catch(() => {})
}

/** Lowers the priority of a worker that blocks its event loop, permanently: only root could raise it again. */
export function demote(pid: number): void {
  setNiceness(pid, lowPriority)
}

/**
 * Starts a process that waits for a function: with an empty environment, in a process group of its own, with a lower CPU
 * priority than the server, and the first to be killed when memory runs out. Its channel is `stdio[3]`.
 */
export function spawnWorker(code: string, heapMb: number): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMb}`,
      '--max-semi-space-size=8',
      '--no-deprecation',
      // Behind a flag in Node 20.
      ...('WebSocket' in globalThis ? [] : ['--experimental-websocket']),
      code,
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: {}, cwd: '/' },
  )
  const { pid } = child
  if (pid === undefined) return child
  setNiceness(pid, niceness)
  // When memory runs out, the kernel kills these first.
  writeProcFile(pid, 'oom_score_adj', '1000')
  return child
}
