import type { LogLine } from './logLine.ts'

/** Which lines are shown. */
export interface LogFilter {
  /** `info` shows all, `warn` also errors. */
  level: 'info' | 'warn' | 'error'
  /** A part's name, `function:<name>`, `requests`, `events` for all but requests, or '' for all. */
  part: string
  /** Words that the line holds, in any case. */
  search: string
}

const levels = ['info', 'warn', 'error']

/** Reads a query; what makes no sense there shows all. */
export function toLogFilter(query: (name: string) => string | undefined): LogFilter {
  const level = query('level') ?? 'info'
  return {
    level: level === 'warn' || level === 'error' ? level : 'info',
    part: (query('part') ?? '').slice(0, 200),
    search: (query('search') ?? '').slice(0, 200),
  }
}

/** Whether the filter lets a line through. */
export function passes(line: LogLine, { level, part, search }: LogFilter): boolean {
  if (line.isOwn) return false
  if (levels.indexOf(line.level) < levels.indexOf(level)) return false
  if (search !== '' && !line.text.toLowerCase().includes(search.toLowerCase())) return false
  if (part === '') return true
  if (part === 'requests') return line.isRequest
  if (part === 'events') return !line.isRequest
  if (part.startsWith('function:')) return line.function === part.slice('function:'.length)
  return line.part === part
}
