import { closeSync, openSync, readSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/** About a tenth of what a process at ordinary priority gets of a processor that both want. */
const niceness = 10

/** The process of a connection to PostgreSQL on this machine. */
export interface BackendProcess {
  /** Milliseconds of a processor that it has used; null where the system does not tell, as elsewhere than on Linux. */
  cpuTime(pid: number): number | null
  /**
   * Gives it a processor only as far as others leave it. Cannot be undone: only a privileged process raises a priority.
   * Where the system refuses, the priority stays as it is.
   */
  lowerPriority(pid: number): void
}

/** Longer than the contents of `/proc/PID/schedstat`, three numbers. */
const schedstat = Buffer.alloc(128)
/**
 * Open files by process, oldest first, since opening one takes longer than reading it. The file of a process that has
 * exited can't be read, even if another process has its number now.
 */
const openFiles = new Map<number, number>()
const maxOpenFiles = 64

function closeFile(pid: number): void {
  const file = openFiles.get(pid)
  if (file === undefined) return
  openFiles.delete(pid)
  closeSync(file)
}

/** Throws where the system has no such file. */
function openFile(pid: number): number {
  const file = openSync(`/proc/${pid}/schedstat`, 'r')
  openFiles.set(pid, file)
  if (openFiles.size > maxOpenFiles) closeFile(openFiles.keys().next().value!)
  return file
}

/** The first field, in nanoseconds. Throws where there is no such process any more. */
const readTime = (file: number): number =>
  Number.parseInt(schedstat.toString('latin1', 0, readSync(file, schedstat, 0, schedstat.length, 0)), 10)

export const backendProcess: BackendProcess = {
  cpuTime(pid) {
    try {
      const file = openFiles.get(pid)
      return readTime(file ?? openFile(pid)) / 1e6
    } catch {
      closeFile(pid)
      return null
    }
  },
  lowerPriority(pid) {
    try {
      setPriority(pid, niceness)
    } catch {
      return
    }
    // Linux may schedule each session of processes as a group ("autogroup"), whose own niceness counts then, and
    // PostgreSQL makes each connection a session. Elsewhere the file does not exist.
    writeFile(`/proc/${pid}/autogroup`, `${niceness}`).catch(() => {})
  },
}
