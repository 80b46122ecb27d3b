import { readdirSync, readFileSync } from 'node:fs'

/** Of Linux: how long a tick of `/proc/PID/stat` is. */
const msPerTick = 10

function statOf(pid: number | string): { parent: number; cpuMs: number; endedMs: number } | null {
  try {
    // The name, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    const msOf = (user: number) => (Number(fields[user]) + Number(fields[user + 1])) * msPerTick
    return { parent: Number(fields[1]), cpuMs: msOf(11), endedMs: msOf(13) }
  } catch {
    // The process has exited meanwhile.
    return null
  }
}

/** User and system time of a process so far, in ms (Linux; NaN elsewhere). */
export function cpuOf(pid: number): number {
  return statOf(pid)?.cpuMs ?? Number.NaN
}

/** The same of a process and its children, also of those that have ended. */
export function cpuOfProcessTree(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.parent === pid)
  const own = statOf(pid)
  return children.reduce((sum, stat) => sum + stat!.cpuMs, own ? own.cpuMs + own.endedMs : Number.NaN)
}

/** User and system time of all processes of the machine so far, in ms (Linux; NaN elsewhere). */
export function cpuOfMachine(): number {
  try {
    const [, user, nice, system, , , interrupt, softInterrupt] = readFileSync('/proc/stat', 'latin1').split(
      /\s+/,
      8,
    )
    return (
      [user, nice, system, interrupt, softInterrupt].reduce((sum, ticks) => sum + Number(ticks), 0) *
      msPerTick
    )
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process, in bytes (Linux; NaN elsewhere). */
export function residentBytes(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(found?.[1] ?? Number.NaN) * 1024
  } catch {
    return Number.NaN
  }
}
