import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../backend/postgres/server/StartError.ts'
import { endRunningProcesses } from '../tests/support/server.ts'
import { openResult, readResults } from './results.ts'
import { renderRow, renderTable, type AddRow, type BenchRow, type BenchTable } from './table.ts'

/** Adds rows as they are measured, or returns them at the end; returns what is only known then. */
interface BenchModule {
  run: (add: AddRow) => Promise<BenchTable | void>
  /** For a part that takes longer than others. */
  timeoutMs?: number
}

/** The modules of all parts; parts.json describes them. */
const modules = import.meta.glob<BenchModule>(['./*.ts', '!./bench.ts', '!./results.ts', '!./table.ts'])

/** A part that takes longer is ended, and its rows so far are stored. */
const PART_TIMEOUT_MS = 300_000

/**
 * Runs the parts whose names the first argument lists, separated by commas, or prints the results of the last runs if it is
 * `summary`. The other arguments are options, which bin/benchArguments.mjs has checked. Each row is printed and stored in
 * dist/bench when it is measured. Returns the exit code: 1 for a part that took too long or could not start.
 */
export async function main([names = '', ...options]: string[], root: string): Promise<number> {
  const json = options.includes('--json')
  if (names === 'summary') return printSummary(root)
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
    for (const name of names.split(',')) {
      const { run, timeoutMs = PART_TIMEOUT_MS } = await modules[`./${name}.ts`]!()
      const table = await runPart({ root, name, run, timeoutMs, print: !json })
      if (table === null) {
        process.stderr.write(`${name} did not end within ${timeoutMs / 60_000} minutes.\n`)
        return 1
      }
      tables.push(table)
      if (!json) process.stdout.write(`${renderTable(table)}\n\n`)
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
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
  const result = await Promise.race([running, timeout]).finally(() => clearTimeout(timer))
  if (result === 'timeout') return null
  const table = result ? { ...result, rows: [...rows, ...result.rows] } : { name: o.name, rows }
  store(table, true)
  return table
}

function printSummary(root: string): number {
  const results = readResults(root)
  if (results.length === 0) process.stdout.write('No part has been run yet.\n')
  for (const result of results) {
    const name = `${result.name}, ${result.startedAt}, ${result.commit}, ${result.seconds} s${result.isComplete ? '' : ', incomplete'}`
    process.stdout.write(`${renderTable({ name, rows: result.rows })}\n\n`)
  }
  return 0
}
