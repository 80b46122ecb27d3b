import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'

/** Lower than the server, which stays usable meanwhile. */
const niceness = 10
const maxOutputLength = 65_536
const maxReasonLength = 2_000

/** A line that a command writes to stderr with `--output json`: see `backend/cli/progress.ts` and `importExport.ts`. */
export interface ProgressEvent {
  event: 'step' | 'progress' | 'done' | 'failed' | 'message'
  title?: string
  bytes?: number
  messages?: number
  totalMessages?: number | null
}

/** The end of a command. */
export interface CommandEnd {
  /** Null if it was killed. */
  code: number | null
  stdout: string
  /** The last lines of stderr that are no progress. */
  reason: string
}

/**
 * Runs a command in a process of its own with a low priority. The process ends with this one, because it has a channel to it.
 * @param command the program and its arguments
 * @param signal ends the process
 */
export async function runCommand(
  command: readonly string[],
  o: { signal: AbortSignal; onProgress: (event: ProgressEvent) => void },
): Promise<CommandEnd> {
  const [program, ...args] = command
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const end = (): void => void child.kill('SIGTERM')
  o.signal.addEventListener('abort', end)
  if (o.signal.aborted) end()
  if (child.pid !== undefined) lowerPriority(child.pid)
  let stdout = ''
  child.stdout!.setEncoding('utf8')
  child.stdout!.on('data', (text: string) => {
    if (stdout.length < maxOutputLength) stdout += text
  })
  let reason = ''
  const lines = createInterface({ input: child.stderr! })
  lines.on('line', (line) => {
    const event = parseEvent(line)
    if (event) o.onProgress(event)
    else reason = `${reason}${line}\n`.slice(-maxReasonLength)
  })
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.once('close', resolve)
      child.once('error', () => resolve(null))
    })
    return { code, stdout: stdout.slice(0, maxOutputLength), reason: reason.trim() }
  } finally {
    o.signal.removeEventListener('abort', end)
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has exited, or the system does not permit it.
  }
}

function parseEvent(line: string): ProgressEvent | null {
  if (!line.startsWith('{"event":')) return null
  try {
    return JSON.parse(line) as ProgressEvent
  } catch {
    return null
  }
}
