import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { endWithThisProcess, startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { seedLongChannel } from './scroll/seedLongChannel.ts'
import type { AddRow } from './table.ts'

const memoryIntervalMs = 100

export const timeoutMs = 60 * 60_000

/** Runs a command of `linnet` to its end. Returns its seconds, and the most memory that it used. Rejects if it fails. */
async function measure(args: string[]): Promise<{ seconds: number; peakMiB: number }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(process.cwd(), 'bin/linnet'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  endWithThisProcess(child)
  let peakKiB = 0
  const timer = setInterval(() => {
    peakKiB = readPeak(child.pid!) ?? peakKiB
  }, memoryIntervalMs)
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
  })
  clearInterval(timer)
  if (code !== 0) throw new Error(`linnet ${args[0]} ended with ${code}`)
  return { seconds: (performance.now() - startedAt) / 1000, peakMiB: peakKiB / 1024 }
}

/** The most memory that a process has used so far, in KiB; undefined where the system has no /proc, and at the end of the process. */
function readPeak(pid: number): number | undefined {
  try {
    const value = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return value === undefined ? undefined : Number(value)
  } catch {
    return undefined
  }
}

const tables = ['messages', 'message_changes', 'message_search', 'reactions', 'attachments']

/** The seconds in which PostgreSQL runs statements on one connection, in a transaction that is rolled back. */
async function timeStatements(dbUrl: string, statements: readonly string[]): Promise<number> {
  const client = new Client(dbUrl)
  await client.connect()
  try {
    await client.query('begin')
    const startedAt = performance.now()
    for (const statement of statements) await client.query(statement)
    const seconds = (performance.now() - startedAt) / 1000
    await client.query('rollback')
    return seconds
  } finally {
    await client.end()
  }
}

/** PostgreSQL converts the rows of the large tables to JSON, and no export can avoid this step. */
const readAsJson = tables.map((name) => `select sum(length(row_to_json(t)::text)) from public.${name} t`)

/** PostgreSQL writes the rows of the large tables once more, with the same indexes and without foreign keys and triggers. */
const writeAgain = [
  'create schema again',
  ...tables.flatMap((name) => [
    `create table again.${name} (like public.${name} including indexes)`,
    `insert into again.${name} select * from public.${name}`,
  ]),
]

/**
 * Measures `linnet export` of a running server with many messages, and `linnet import` into another one, until the command has
 * ended: with the checksums, the search and the counters. The speeds are compared with the speed at which PostgreSQL alone reads and
 * writes the same rows just after.
 */
export async function run(add: AddRow): Promise<void> {
  const messages = process.argv.includes('--big') ? 1_000_000 : 100_000
  const source = temporaryData()
  const target = temporaryData()
  const folder = mkdtempSync(join(tmpdir(), 'linnet-archive-'))
  const path = join(folder, 'workspace.zip')
  const start = (dataDir: string, args: string[] = []): Promise<Server> =>
    startServer({ root: process.cwd(), dataDir, args: ['--no-app', '--db-port', '0', ...args] })
  const goal = '≥ 2,000/s, ≤ 300 MiB'
  const report = (
    what: string,
    against: { name: string; seconds: number },
    { seconds, peakMiB }: Awaited<ReturnType<typeof measure>>,
  ) =>
    add({
      what: `archive: ${what}, ${messages.toLocaleString('en')} messages with threads and reactions`,
      goal,
      value: messages / seconds,
      unit: 'messages/s',
      ratio: against.seconds / seconds,
      against: `${Math.round(messages / against.seconds).toLocaleString('en')} messages/s: ${against.name}`,
      also: { s: seconds, 'MiB peak memory of the command': peakMiB },
    })
  try {
    let server = await start(source.dir, ['--demo'])
    await seedLongChannel(server.dbUrl, messages)
    const exported = await measure(['export', path, '--data', source.dir])
    const read = await timeStatements(server.dbUrl, readAsJson)
    report('export', { name: 'PostgreSQL reads the rows as JSON', seconds: read }, exported)
    await server.end('SIGTERM')
    server = await start(target.dir)
    const imported = await measure(['import', path, '--data', target.dir])
    const written = await timeStatements(server.dbUrl, writeAgain)
    report('import', { name: 'PostgreSQL writes the rows and indexes again', seconds: written }, imported)
    await server.end('SIGTERM')
  } finally {
    source.remove()
    target.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
