import type { LogEntry } from '../../../logging/logger.ts'

/** A log line as the page shows it. */
export interface LogLine {
  time: string
  level: string
  /** The part of the server that logged it (`LogSource`); for a request, the service that responded to it. */
  part: string
  /** The edge function that logged it, if any. */
  function?: string
  isRequest: boolean
  /** A request for this page, which is not shown unless it was refused. */
  isOwn: boolean
  text: string
}

/** First segments of paths that name a service. */
const services = new Set(['auth', 'rest', 'storage', 'realtime', 'functions'])

function partOf({ event, path }: LogEntry): string {
  if (event === 'gateway.request') {
    const service = String(path).split('/')[1] ?? ''
    if (services.has(service)) return service
  }
  return event.slice(0, event.indexOf('.'))
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function textOf(entry: LogEntry): string {
  const { time: _time, level: _level, event, ...fields } = entry
  if (event === 'gateway.request') {
    return `${toText(fields.method)} ${toText(fields.path)} ${toText(fields.status)} in ${toText(fields.ms)} ms`
  }
  if ((event === 'functions.output' || event === 'postgres.output') && typeof fields.line === 'string') {
    return event === 'functions.output' ? `${toText(fields.function)}: ${fields.line}` : fields.line
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
    isRequest: entry.event === 'gateway.request',
    isOwn: entry.event === 'gateway.request' && entry.path === '/_' && entry.status !== 404,
    text: textOf(entry),
  }
}
