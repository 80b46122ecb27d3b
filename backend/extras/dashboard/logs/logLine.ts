import type { LogEntry } from '../../../logging/logger.ts'

/** A log line as the page shows it. */
export interface LogLine {
  time: string
  level: string
  /** The part of the server that logged it: `rest`, `auth`, `functions`, `postgres` … */
  part: string
  /** The edge function that logged it, if any. */
  function?: string
  isRequest: boolean
  /** A request for this page, which is not shown unless it was refused. */
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
  return parts.has(first) ? first : 'server'
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function textOf(entry: LogEntry): string {
  const { time: _time, level: _level, event, ...fields } = entry
  if (event === 'request') {
    return `${toText(fields.method)} ${toText(fields.path)} ${toText(fields.status)} in ${toText(fields.ms)} ms`
  }
  if ((event === 'function' || event === 'postgres') && typeof fields.line === 'string') {
    return event === 'function' ? `${toText(fields.function)}: ${fields.line}` : fields.line
  }
  const details = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`)
  return [event, ...details].join(' ')
}

/** Parses one JSON line of the log. */
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
