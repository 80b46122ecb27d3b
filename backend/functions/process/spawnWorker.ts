import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'

/** Behind the house and PostgreSQL, but not starved: what they leave is theirs. */
const niceness = constants.priority.PRIORITY_BELOW_NORMAL

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
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already, or the system does not let us.
  }
  // Linux weighs sessions against each other first where autogroups are on; neither file is anywhere else.
  const tell = (file: string, text: string): void =>
    void writeFile(`/proc/${pid}/${file}`, text).catch(() => {})
  tell('autogroup', String(niceness))
  tell('oom_score_adj', '1000')
  return child
}
