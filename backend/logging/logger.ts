/**
 * The parts of the server that log. `schema` stands for migrations and seeds, and `server` for the process itself and
 * its settings.
 */
type LogSource =
  | 'auth'
  | 'backup'
  | 'cron'
  | 'functions'
  | 'gateway'
  | 'moving'
  | 'pg_net'
  | 'postgres'
  | 'realtime'
  | 'rest'
  | 'schema'
  | 'server'
  | 'storage'
  | 'upgrade'

/** The name of an event: the part that logs it, then the event in snake case, such as `auth.mail_failed`. */
export type LogEvent = `${LogSource}.${Lowercase<string>}`

/**
 * Writes one line per event: text for people, JSON for machines. Fields never contain secrets or bodies. `reason` is the
 * cause, `requestId` the id of the HTTP request, and durations end with their unit.
 */
export interface Logger {
  info(event: LogEvent, fields?: Record<string, unknown>): void
  warn(event: LogEvent, fields?: Record<string, unknown>): void
  error(event: LogEvent, fields?: Record<string, unknown>): void
}

type Level = 'info' | 'warn' | 'error'

/** One event as it is stored and published. */
export interface LogEntry {
  /** ISO 8601, UTC. */
  time: string
  level: Level
  event: LogEvent
  [field: string]: unknown
}

let lastMs = 0
let lastTime = ''

/** The current time as ISO 8601, cached: under load many entries share a millisecond. */
function timeNow(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastTime = new Date(ms).toISOString()
  }
  return lastTime
}

/** Control characters as `\u001b`: on a terminal they could erase other lines. */
export const escapeControlCharacters = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Renders the fields other than time, level and event as `key=value`. Values with spaces or quotes are quoted as
 * JSON. A value of several lines is indented below, so that none of its lines is mistaken for an event.
 */
function renderFields(fields: Record<string, unknown>): string {
  let line = ''
  let below = ''
  for (const key in fields) {
    if (key === 'time' || key === 'level' || key === 'event') continue
    const value = fields[key]
    if (value === undefined) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text.includes('\n'))
      below += `\n  ${key}: ${text.split('\n').map(escapeControlCharacters).join('\n    ')}`
    else line += ` ${key}=${/[\s"=]/.test(text) ? JSON.stringify(text) : text}`
  }
  return line + below
}

/** Renders an entry as text for people. */
export function renderEntry(entry: LogEntry): string {
  const { time, level, event, line } = entry
  // Not as a quoted field: objects that a function prints contain many quotes.
  if (event === 'functions.output' && typeof line === 'string')
    return `${time} ${level} ${event} ${String(entry['function'])}: ${escapeControlCharacters(line)}`
  return `${time} ${level} ${event}${renderFields(entry)}`
}

/**
 * Creates a logger that writes lines with `write`. The `format` json gives `{time, level, event, ...fields}`. Entries
 * below `minLevel` are not written.
 */
export function createLogger(o: {
  format: 'text' | 'json'
  minLevel: Level
  write: (line: string) => void
}): Logger {
  const order: Level[] = ['info', 'warn', 'error']
  const emit = (level: Level, event: LogEvent, fields: Record<string, unknown> = {}): void => {
    if (order.indexOf(level) < order.indexOf(o.minLevel)) return
    const entry = { time: timeNow(), level, event, ...fields }
    o.write(o.format === 'json' ? JSON.stringify(entry) : renderEntry(entry))
  }
  return {
    info: (event, fields) => emit('info', event, fields),
    warn: (event, fields) => emit('warn', event, fields),
    error: (event, fields) => emit('error', event, fields),
  }
}

/** Creates a logger that also passes each entry to `listener`, including entries below the minimum level of `log`. */
export function teeLogger(log: Logger, listener: (entry: LogEntry) => void): Logger {
  const through =
    (level: Level) =>
    (event: LogEvent, fields?: Record<string, unknown>): void => {
      log[level](event, fields)
      listener({ time: timeNow(), level, event, ...fields })
    }
  return { info: through('info'), warn: through('warn'), error: through('error') }
}

/** Writes nothing: for temporary databases, whose callers report every error themselves. */
export const noLogger: Logger = { info() {}, warn() {}, error() {} }
