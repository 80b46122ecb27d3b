import type { LogTail } from '../../../logging/logTail.ts'
import { matches, type LogFilter } from './logFilter.ts'
import { toLogLine, type LogLine } from './logLine.ts'

/** The newest matching lines, newest first. */
export function recentLines(tail: LogTail, filter: LogFilter, max: number): LogLine[] {
  const lines: LogLine[] = []
  for (const json of tail.recent().toReversed()) {
    const line = toLogLine(json)
    if (matches(line, filter)) lines.push(line)
    if (lines.length === max) break
  }
  return lines
}
