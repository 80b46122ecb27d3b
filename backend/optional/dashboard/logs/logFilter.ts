import type { LogLine } from './logLine.ts'

/** Selects log lines. */
export interface LogFilter {
  /** This level and above. */
  level: 'info' | 'warn' | 'error'
  /** Name of a part, `function:<name>`, `requests`, `events` for all but requests, or '' for all. */
  part: string
  /** Case-insensitive text. */
  search: string
}

const levels = ['info', 'warn', 'error']

/** Parses query parameters. An invalid value selects all. */
export function toLogFilter(query: (name: string) => string | undefined): LogFilter {
  const level = query('level') ?? 'info'
  return {
    level: level === 'warn' || level === 'error' ? level : 'info',
    part: (query('part') ?? '').slice(0, 200),
    search: (query('search') ?? '').slice(0, 200),
  }
}

/** Whether a line matches the filter. */
export function matches(line: LogLine, { level, part, search }: LogFilter): boolean {
  if (line.isOwn) return false
  if (levels.indexOf(line.level) < levels.indexOf(level)) return false
  if (search !== '' && !line.text.toLowerCase().includes(search.toLowerCase())) return false
  if (part === '') return true
  if (part === 'requests') return line.isRequest
  if (part === 'events') return !line.isRequest
  if (part.startsWith('function:')) return line.function === part.slice('function:'.length)
  return line.part === part
}
