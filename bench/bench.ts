import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endRunningProcesses } from '../tests/support/server.ts'
import { openResult, readResults } from './results.ts'
import { renderRow, renderTable, type AddRow, type BenchRow, type BenchTable } from './table.ts'

/** Adds rows as they are measured, or returns them at the end; returns what is only known then. */
interface BenchModule {
  run: (add: AddRow) => Promise<BenchTable | void>
  /** For a part that takes longer than others. */
  timeoutMs?: number
}

/** Each part is a file beside this one that exports `run`. */
const modules = import.meta.glob<BenchModule>(['./*.ts', '!./bench.ts', '!./results.ts', '!./table.ts'])

const nameOf = (path: string): string => path.replace(/^\.\/|\.ts$/g, '')

/** A part that takes longer is ended, and its rows so far are stored. */
const PART_TIMEOUT_MS = 300_000

/**
 * `npm run bench [-- PART…] [--json] [--big] [--<option of a part> VALUE]`, or `summary` for the results of the last runs. Each row is printed and
 * stored in dist/bench when it is measured. Returns the exit code: 1 for an unknown part or one that took too long.
 */
export async function main(args: string[], root: string): Promise<number> {
  const names = Object.keys(modules).map(nameOf)
  const json = args.includes('--json')
  // What follows an option that is not `--json` or `--big` is its value.
  const selected = args.filter(
    (arg, at) => !arg.startsWith('--') && !/^--(?!json$|big$)/.test(args[at - 1] ?? ''),
  )
  if (selected.includes('summary')) return printSummary(root)
  const unknown = selected.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(
      `No bench is called ${unknown.join(', ')}. There are: ${names.join(', ')}; and "summary" prints the last results.\n`,
    )
    return 1
  }
  // Everything that a part creates is below one folder, so that an interrupted part leaves nothing. PostgreSQL, which
  // may run as another user, needs access.
  const temporary = mkdtempSync(join(tmpdir(), 'bench-'))
  chmodSync(temporary, 0o755)
  process.env['TMPDIR'] = temporary
  const cleanUp = async (): Promise<void> => {
    await endRunningProcesses()
    rmSync(temporary, { recursive: true, force: true })
  }
  const interrupt = (signal: NodeJS.Signals): void => {
    process.stderr.write(`Ended by ${signal}; the rows so far are in dist/bench.\n`)
    void cleanUp().finally(() => process.exit(130))
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const tables: BenchTable[] = []
  try {
    for (const [path, load] of Object.entries(modules)) {
      const name = nameOf(path)
      if (selected.length > 0 && !selected.includes(name)) continue
      const { run, timeoutMs = PART_TIMEOUT_MS } = await load()
      const table = await runPart({ root, name, run, timeoutMs, print: !json })
      if (table === null) {
        process.stderr.write(`${name} did not end within ${timeoutMs / 60_000} minutes.\n`)
        return 1
      }
      tables.push(table)
      if (!json) process.stdout.write(`${renderTable(table)}\n\n`)
    }
  } finally {
    await cleanUp()
  }
  if (json) process.stdout.write(`${JSON.stringify(tables)}\n`)
  const summaries = tables.flatMap(({ name, summary }) => (summary ? [[name, summary] as const] : []))
  if (json && summaries.length > 0) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(summaries))}\n`)
  }
  return 0
}

/** Runs a part and stores its rows. Returns null if it took too long; its processes are still running then. */
async function runPart(o: {
  root: string
  name: string
  run: BenchModule['run']
  timeoutMs: number
  print: boolean
}): Promise<BenchTable | null> {
  const store = openResult(o.root, o.name)
  const rows: BenchRow[] = []
  const add: AddRow = (row) => {
    rows.push(row)
    store({ rows }, false)
    if (o.print) process.stderr.write(`${renderRow(row)}\n`)
  }
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), o.timeoutMs)
  })
  const running = o.run(add)
  // After a timeout its processes end under it.
  running.catch(() => {})
  const result = await Promise.race([running, timeout])
  clearTimeout(timer)
  if (result === 'timeout') return null
  const table = result ? { ...result, rows: [...rows, ...result.rows] } : { name: o.name, rows }
  store(table, true)
  return table
}

function printSummary(root: string): number {
  const results = readResults(root)
  if (results.length === 0) process.stdout.write('No part has been run yet.\n')
  for (const result of results) {
    const name = `${result.name}, ${result.startedAt}, ${result.commit}${result.isComplete ? '' : ', incomplete'}`
    process.stdout.write(`${renderTable({ name, rows: result.rows })}\n\n`)
  }
  return 0
}
