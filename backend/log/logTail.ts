import type { LogEntry } from './log.ts'

/** What was logged last, as JSON lines; kept in memory for whoever looks now and for the file. */
export interface LogTail {
  add(entry: LogEntry): void
  /** Oldest first. */
  recent(): string[]
  /** Hears each line from now on, until the function that it answers with is called. */
  subscribe(hear: (line: string) => void): () => void
}

const mostLines = 2_000
/** Of all lines that are kept, in characters. */
const mostCharacters = 2 * 1024 * 1024
/** Of one line: a function may print megabytes in one. */
const longestLine = 16 * 1024

function render(entry: LogEntry): string {
  const line = JSON.stringify(entry)
  if (line.length <= longestLine) return line
  const { time, level, event } = entry
  return JSON.stringify({ time, level, event, cut: line.slice(0, longestLine / 2) })
}

/** Bounded in lines and characters, so that a noisy part costs others their past, not the server its memory. */
export function createLogTail(): LogTail {
  const hearers = new Set<(line: string) => void>()
  let lines: string[] = []
  let characters = 0
  /** Lines before it are gone; they are cut off together, since shifting each would move all others. */
  let first = 0
  return {
    add(entry) {
      const line = render(entry)
      lines.push(line)
      characters += line.length
      while (lines.length - first > mostLines || characters > mostCharacters) {
        characters -= lines[first]!.length
        lines[first++] = ''
      }
      if (first > mostLines) {
        lines = lines.slice(first)
        first = 0
      }
      for (const hear of hearers) hear(line)
    },
    recent: () => lines.slice(first),
    subscribe(hear) {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
  }
}
