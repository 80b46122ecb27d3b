/** One line an event: plain for a person, JSON for a machine. Fields never hold secrets or bodies. */
export interface Logger {
  info(event: string, fields?: Record<string, unknown>): void
  warn(event: string, fields?: Record<string, unknown>): void
  error(event: string, fields?: Record<string, unknown>): void
}

type Level = 'info' | 'warn' | 'error'

/** One event as it is kept and told on. */
export interface LogEntry {
  /** ISO 8601, UTC. */
  time: string
  level: Level
  event: string
  [field: string]: unknown
}

let lastMs = 0
let lastTime = ''

/** The time as entries have it; under load many share a millisecond. */
function timeNow(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastTime = new Date(ms).toISOString()
  }
  return lastTime
}

/** Control characters as `\u001b`: they could rub out, on a terminal, what others have said. */
const escapeControlCharacters = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * The fields beside time, level and event as `key=value`; values with spaces or quotes are quoted as JSON. A value of
 * several lines stands below, indented, so that none of them is taken for an event.
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

/** An entry as a person reads it. */
export function renderEntry(entry: LogEntry): string {
  const { time, level, event, line } = entry
  // Objects that a function prints are full of quotes.
  if (event === 'function' && typeof line === 'string')
    return `${time} ${level} function ${String(entry['function'])}: ${escapeControlCharacters(line)}`
  return `${time} ${level} ${event}${renderFields(entry)}`
}

/**
 * Writes lines with `write`. `format` json gives `{time, level, event, ...fields}`.
 * `least` hides what is below it ("warn" keeps a terminal quiet).
 */
export function createLogger(o: {
  format: 'text' | 'json'
  minLevel: Level
  write: (line: string) => void
}): Logger {
  const order: Level[] = ['info', 'warn', 'error']
  const emit = (level: Level, event: string, fields: Record<string, unknown> = {}): void => {
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

/** A log that also tells each entry, whatever the level from which `log` itself shows it. */
export function teeLogger(log: Logger, tell: (entry: LogEntry) => void): Logger {
  const through =
    (level: Level) =>
    (event: string, fields?: Record<string, unknown>): void => {
      log[level](event, fields)
      tell({ time: timeNow(), level, event, ...fields })
    }
  return { info: through('info'), warn: through('warn'), error: through('error') }
}
