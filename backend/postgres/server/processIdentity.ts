import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync } from 'node:fs'

/** Whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  // A zombie accepts signals too, but has exited: its parent has not waited for it yet.
  return statFields(pid)?.[0] !== 'Z'
}

/** The fields of /proc/<pid>/stat after the name, which may contain spaces and brackets; undefined where unknown. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/**
 * Distinguishes a process from a later one with the same id, by start time and boot. Null where it is not alive, or the
 * system does not provide it.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'lstart=')
  const started = statFields(pid)?.[19]
  if (started === undefined) return null
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${started}`
}

/** The PID namespace, which process ids are relative to: a container has its own. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Whether the process is a PostgreSQL on this data folder, which is then its working directory. */
export function servesData(pid: number, data: string): boolean {
  const real = realpathSync(data)
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === real
  } catch {
    const command = commandLine(pid)
    return command.includes('postgres') && (command.includes(data) || command.includes(real))
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ps(pid, 'command=') ?? ''
  }
}

function ps(pid: number, column: string): string | null {
  try {
    return (
      execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() ||
      null
    )
  } catch {
    return null
  }
}
