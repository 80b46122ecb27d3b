import { readdirSync, readFileSync } from 'node:fs'
import { cpuOf, residentBytes } from '../load/usage.ts'

/** The parent of each process (Linux; empty elsewhere). */
function readParents(): Map<number, number> {
  const parents = new Map<number, number>()
  let names: string[] = []
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return parents
  }
  for (const name of names) {
    try {
      // The name of the program, in brackets, may hold blanks.
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')
      parents.set(Number(name), Number(parent))
    } catch {
      // The process ended meanwhile.
    }
  }
  return parents
}

/** A process and all its descendants, except `without` and its own. */
export function familyOf(pid: number, without?: number): number[] {
  const parents = readParents()
  const isWithin = (candidate: number): boolean => {
    for (let at: number | undefined = candidate; at !== undefined && at > 1; at = parents.get(at)) {
      if (at === without) return false
      if (at === pid) return true
    }
    return false
  }
  return [...parents.keys()].filter(isWithin)
}

/** Of processes that still run; others count as nothing. */
const sum = (pids: number[], of: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + (of(pid) || 0), 0)

/** User and system time of these processes so far, in ms. */
export const cpuOfAll = (pids: number[]): number => sum(pids, cpuOf)

/** CPU time between two readings; at least none, since what children used is gone with them. */
export const coresOf = (before: number, after: number, ms: number): number => Math.max(0, after - before) / ms

const samplingMs = 200

/** Watches the resident memory of a server with its workers, without PostgreSQL. */
export function watchMemory(pids: { server: number; db: number }): {
  /** MiB, the highest since the last call. */
  takePeak(): number
  close(): void
} {
  let peak = 0
  const sample = (): void => {
    peak = Math.max(peak, sum(familyOf(pids.server, pids.db), residentBytes) / 2 ** 20)
  }
  const timer = setInterval(sample, samplingMs)
  return {
    takePeak() {
      sample()
      const taken = peak
      peak = 0
      return taken
    },
    close: () => clearInterval(timer),
  }
}
