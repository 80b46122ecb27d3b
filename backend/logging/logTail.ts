import type { LogEntry } from './logger.ts'

/** The last entries as JSON lines, in memory: for the dashboard, and for the log file once it is open. */
export interface LogTail {
  add(entry: LogEntry): void
  /** Oldest first. */
  recent(): string[]
  /** Calls `listener` with each further line. Returns a function that ends the subscription. */
  subscribe(listener: (line: string) => void): () => void
}

const maxLines = 2_000
/** Of all stored lines together. */
const maxCharacters = 2 * 1024 * 1024
/** Of one line: a function may print megabytes as one. */
const maxLineCharacters = 16 * 1024

function render(entry: LogEntry): string {
  const line = JSON.stringify(entry)
  if (line.length <= maxLineCharacters) return line
  const { time, level, event } = entry
  return JSON.stringify({ time, level, event, cut: line.slice(0, maxLineCharacters / 2) })
}

/** Bounded in lines and characters, so that many log lines of one component cannot exhaust memory. */
export function createLogTail(): LogTail {
  const subscribers = new Set<(line: string) => void>()
  let lines: string[] = []
  let characters = 0
  /** Index of the oldest line. Dropped lines are cut off together, since each `shift` would move all others. */
  let first = 0
  return {
    add(entry) {
      const line = render(entry)
      lines.push(line)
      characters += line.length
      while (lines.length - first > maxLines || characters > maxCharacters) {
        characters -= lines[first]!.length
        lines[first++] = ''
      }
      if (first > maxLines) {
        lines = lines.slice(first)
        first = 0
      }
      for (const listener of subscribers) listener(line)
    },
    recent: () => lines.slice(first),
    subscribe(listener) {
      subscribers.add(listener)
      return () => subscribers.delete(listener)
    },
  }
}
