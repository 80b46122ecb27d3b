import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { renderEntry, type LogEntry } from '../logging/logger.ts'
import { defineCommand, type Call, type Options } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { followLines, lastLines } from './readLog.ts'
import { UsageError } from './UsageError.ts'

const levels = ['info', 'warn', 'error'] as const

const options = {
  follow: { short: 'f', help: 'go on with what is said from now on, until Ctrl-C' },
  lines: { value: 'N', short: 'n', help: 'how many of the last lines (100 unless said)' },
  function: { value: 'NAME', help: 'only what this function says' },
  level: { value: 'LEVEL', choices: levels, help: 'this level and those above' },
  json: { help: 'as it was written: one JSON object a line' },
  ...placeOptions,
} as const satisfies Options

/** A line of the log; null where it is none. */
export function readEntry(line: string): LogEntry | null {
  try {
    return JSON.parse(line) as LogEntry
  } catch {
    // Half a line, of a disk that was full.
    return null
  }
}

function wantedBy(o: Call<typeof options>['options']): (line: string) => boolean {
  const least = levels.indexOf(o.level ?? 'info')
  return (line) => {
    const entry = readEntry(line)
    if (entry === null || levels.indexOf(entry.level) < least) return false
    return o.function === undefined || entry['function'] === o.function
  }
}

/** `linnet logs`: what the house has said, whether it runs or not. */
export const logs = defineCommand({
  name: 'logs',
  group: 'The house',
  summary: 'Show what the house and its functions say',
  options,
  async run({ dataDir, options: o }) {
    const count = o.lines === undefined ? 100 : Number(o.lines)
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new UsageError(`--lines must be a whole number, not "${o.lines}".`)
    }
    const dir = join(dataDir, 'logs')
    if (!existsSync(dir))
      throw new UsageError(`There are no logs in ${dataDir}: nothing was ever started on it.`)
    const wanted = wantedBy(o)
    const show = (line: string): void => {
      if (wanted(line)) process.stdout.write(`${o.json ? line : renderEntry(readEntry(line)!)}\n`)
    }
    const end = new AbortController()
    // Whoever reads us may leave first (`linnet logs | head`).
    process.stdout.on('error', () => end.abort())
    for (const line of await lastLines(dir, count, wanted)) show(line)
    if (!o.follow) return 0
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
    await followLines(dir, end.signal, show)
    return 0
  },
})
