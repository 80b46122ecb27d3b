import { readFileSync } from 'node:fs'

/** What a process has used: CPU time in milliseconds, resident memory in MiB. */
export interface ProcessUsage {
  cpuMs: number
  residentMb: number
}

/** Linux reports CPU time in hundredths of a second, whatever the kernel's tick is. */
const msPerTick = 10

/** Pages have 4, 16 or 64 KiB: derived from the server's own memory, which is known in bytes and pages. */
let bytesPerPage = 0

function pageSize(): number {
  const pages = statOf(process.pid)?.residentPages ?? 0
  if (pages === 0) return 4_096
  return 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages))
}

/** Read from the kernel, so that it works for unresponsive processes; null without /proc. */
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
  // The name, in parentheses, may contain any character; the state is the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return { ticks: field(14) + field(15), residentPages: field(24) }
}
