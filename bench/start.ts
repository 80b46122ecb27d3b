import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer, temporaryData } from '../tests/support/server.ts'
import type { BenchTable } from './table.ts'

/** Proportional set size of a process and all its children, in MiB (Linux; NaN elsewhere). */
function pssOf(pids: number[]): number {
  try {
    const children = new Map<number, number[]>()
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
        children.set(parent, [...(children.get(parent) ?? []), Number(name)])
      } catch {
        // The process has exited meanwhile.
      }
    }
    const all = new Set<number>()
    const visit = (pid: number): void => {
      if (all.has(pid)) return
      all.add(pid)
      for (const child of children.get(pid) ?? []) visit(child)
    }
    pids.forEach(visit)
    let kilobytes = 0
    for (const pid of all) {
      try {
        const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
        kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0)
      } catch (error) {
        // A child, such as the connection of a job, may have ended; the server itself has not.
        if (pids.includes(pid)) throw error
      }
    }
    return kilobytes / 1024
  } catch {
    return Number.NaN
  }
}

interface Start {
  seconds: number
  pss: number
}

/** Measures the first start on new data, then a start on existing data. */
async function measure(args: string[]): Promise<{ first: Start; again: Start }> {
  // Builds stale parts before the measurement. A start that builds takes seconds, and keeps the bundler's memory.
  spawnSync(process.execPath, ['bin/linnet', 'help'])
  const data = temporaryData()
  const timed = async (): Promise<Start> => {
    const begun = performance.now()
    const server = await startServer({ root: process.cwd(), dataDir: data.dir, args })
    const seconds = (performance.now() - begun) / 1000
    const pss = pssOf([server.pids.server, server.pids.db])
    await server.end('SIGTERM')
    return { seconds, pss }
  }
  try {
    return { first: await timed(), again: await timed() }
  } finally {
    data.remove()
  }
}

/** Measures the start of Linnet, and of each tutorial-style project including its seeds. */
export async function run(): Promise<BenchTable> {
  const goal = (value: number, max: number, unit: string): { ratio: number; against: string } => ({
    ratio: value / max,
    against: `${max} ${unit}, the most it may be`,
  })
  const rowsOf = (name: string, { first, again }: { first: Start; again: Start }): BenchTable['rows'] => [
    { what: `${name}first start`, value: first.seconds, unit: 's', ...goal(first.seconds, 6, 's') },
    { what: `${name}start on data`, value: again.seconds, unit: 's', ...goal(again.seconds, 3, 's') },
    { what: `${name}idle memory (PSS)`, value: again.pss, unit: 'MiB', ...goal(again.pss, 250, 'MiB') },
  ]
  const rows = rowsOf('', await measure([]))
  const projects = join(process.cwd(), 'tests/support/projects')
  for (const name of readdirSync(projects)) {
    const started = await measure(['--no-app', '--supabase', join(projects, name, 'supabase')])
    rows.push(...rowsOf(`${name}: `, started))
  }
  return { name: 'start', rows }
}
