import type { LogTail } from '../../../logging/logTail.ts'
import { passes, type LogFilter } from './logFilter.ts'
import { toLogLine, type LogLine } from './logLine.ts'

/** The newest lines that pass, newest first. */
export function recentLines(tail: LogTail, filter: LogFilter, most: number): LogLine[] {
  const lines: LogLine[] = []
  for (const json of tail.recent().toReversed()) {
    const line = toLogLine(json)
    if (passes(line, filter)) lines.push(line)
    if (lines.length === most) break
  }
  return lines
}
