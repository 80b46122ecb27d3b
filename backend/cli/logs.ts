import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { renderEntry, type LogEntry } from '../logging/logger.ts'
import { UsageError, defineCommand, type Invocation, type Options } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { followLines, readLastLines } from './readLog.ts'

const levels = ['info', 'warn', 'error'] as const

const options = {
  follow: { short: 'f', help: 'print new lines as they are written, until Ctrl-C' },
  lines: { value: 'N', short: 'n', help: 'number of last lines to print (default: 100)' },
  function: { value: 'NAME', help: 'only lines of this function' },
  level: { value: 'LEVEL', choices: levels, help: 'only lines of this level or above' },
  json: { help: 'print one JSON object per line' },
  ...projectOptions,
} as const satisfies Options

/** Parses a line of the log; null if it is not JSON. */
export function readEntry(line: string): LogEntry | null {
  try {
    return JSON.parse(line) as LogEntry
  } catch {
    // An incomplete line, written when the disk was full.
    return null
  }
}

function createFilter(o: Invocation<typeof options>['options']): (line: string) => boolean {
  const minLevel = levels.indexOf(o.level ?? 'info')
  return (line) => {
    const entry = readEntry(line)
    if (entry === null || levels.indexOf(entry.level) < minLevel) return false
    return o.function === undefined || entry['function'] === o.function
  }
}

/** `linnet logs`: does not need a running server. */
export const logs = defineCommand({
  name: 'logs',
  group: 'Server',
  summary: 'Show the logs of the server and its functions',
  options,
  async run({ dataDir, options: o }) {
    const count = o.lines === undefined ? 100 : Number(o.lines)
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new UsageError(`--lines must be a whole number, not "${o.lines}".`)
    }
    const dir = join(dataDir, 'logs')
    if (!existsSync(dir))
      throw new UsageError(`There are no logs in ${dataDir}: no server was ever started on it.`)
    const matches = createFilter(o)
    const print = (line: string): void => {
      if (matches(line)) process.stdout.write(`${o.json ? line : renderEntry(readEntry(line)!)}\n`)
    }
    const end = new AbortController()
    // The reader of a pipe may close it first (`linnet logs | head`).
    process.stdout.on('error', () => end.abort())
    for (const line of await readLastLines(dir, count, matches)) print(line)
    if (!o.follow) return 0
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
    await followLines(dir, end.signal, print)
    return 0
  },
})
