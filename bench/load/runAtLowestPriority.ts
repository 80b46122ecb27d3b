import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/**
 * Gives a process of this user a processor only as far as others leave it. Linux may schedule each session of processes as a
 * group ("autogroup") whose own niceness counts beside other sessions: PostgreSQL makes each connection a session. So the
 * process has to lead a session (`detached`), or its parent's niceness counts.
 */
export function runAtLowestPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW)
  try {
    writeFileSync(`/proc/${pid}/autogroup`, `${constants.priority.PRIORITY_LOW}`)
  } catch {
    // Other systems, and a Linux without such groups, do not have the file.
  }
}
