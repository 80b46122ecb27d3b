import type { LogEntry } from '../../../logging/logger.ts'

/** One line of the log as the page shows it. */
export interface LogLine {
  time: string
  level: string
  /** Which part of the house said it: `rest`, `auth`, `functions`, `postgres` … */
  part: string
  /** The function that wrote it, if one did. */
  function?: string
  isRequest: boolean
  /** Somebody looked at this very page: to show that would be to talk of oneself. Those turned away are shown. */
  isOwn: boolean
  text: string
}

const parts = new Set(['auth', 'rest', 'storage', 'realtime', 'functions', 'cron', 'net', 'postgres', 'mail'])

function partOf({ event, path }: LogEntry): string {
  if (event === 'request') {
    const service = String(path).split('/')[1] ?? ''
    return parts.has(service) ? service : 'gateway'
  }
  const [first = ''] = event.split(/[\s.]/, 1)
  if (first === 'function') return 'functions'
  if (first === 'migration' || first === 'seeded' || first === 'seed') return 'migrations'
  if (first === 'schema') return 'rest'
  return parts.has(first) ? first : 'house'
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function textOf(entry: LogEntry): string {
  const { time: _time, level: _level, event, ...fields } = entry
  if (event === 'request') {
    return `${shown(fields.method)} ${shown(fields.path)} ${shown(fields.status)} in ${shown(fields.ms)} ms`
  }
  if ((event === 'function' || event === 'postgres') && typeof fields.line === 'string') {
    return event === 'function' ? `${shown(fields.function)}: ${fields.line}` : fields.line
  }
  const details = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`)
  return [event, ...details].join(' ')
}

/** Reads one JSON line of the log's tail. */
export function toLogLine(json: string): LogLine {
  const entry = JSON.parse(json) as LogEntry
  const of = typeof entry.function === 'string' ? entry.function : undefined
  return {
    time: entry.time,
    level: entry.level,
    part: partOf(entry),
    ...(of !== undefined && { function: of }),
    isRequest: entry.event === 'request',
    isOwn: entry.event === 'request' && entry.path === '/_' && entry.status !== 404,
    text: textOf(entry),
  }
}
