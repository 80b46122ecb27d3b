import { readFileSync } from 'node:fs'
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

export const backendProcess: BackendProcess = {
  cpuTime(pid) {
    try {
      // The first field is in nanoseconds.
      return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, 'latin1'), 10) / 1e6
    } catch {
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
