import { readFileSync } from 'node:fs'

/** What a process has used: CPU time in milliseconds, resident memory in MiB. */
export interface ProcessUsage {
  cpuMs: number
  residentMb: number
}

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock is. */
const msPerTick = 10

/** Pages are of 4, 16 or 64 KiB: told by our own size, which the kernel gives in both. */
let bytesPerPage = 0

function pageSize(): number {
  const pages = statOf(process.pid)?.residentPages ?? 0
  if (pages === 0) return 4_096
  return 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages))
}

/** As the kernel knows it, so that a process that answers nobody is seen too; null where there is no /proc. */
export function processUsage(pid: number): ProcessUsage | null {
  const stat = statOf(pid)
  if (!stat) return null
  bytesPerPage ||= pageSize()
  return { cpuMs: stat.ticks * msPerTick, residentMb: (stat.residentPages * bytesPerPage) / 1_048_576 }
}

function statOf(pid: number): { ticks: number; residentPages: number } | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name, in brackets, may hold anything; the state is the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { ticks: field(14) + field(15), residentPages: field(24) }
}
