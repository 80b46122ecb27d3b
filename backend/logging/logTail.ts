import type { LogEntry } from './log.ts'

/** What was logged last, as JSON lines; kept in memory for whoever looks now and for the file. */
export interface LogTail {
  add(entry: LogEntry): void
  /** Oldest first. */
  recent(): string[]
  /** Hears each line from now on, until the function that it answers with is called. */
  subscribe(listener: (line: string) => void): () => void
}

const maxLines = 2_000
/** Of all lines that are kept, in characters. */
const maxCharacters = 2 * 1024 * 1024
/** Of one line: a function may print megabytes in one. */
const maxLineCharacters = 16 * 1024

function render(entry: LogEntry): string {
  const line = JSON.stringify(entry)
  if (line.length <= maxLineCharacters) return line
  const { time, level, event } = entry
  return JSON.stringify({ time, level, event, cut: line.slice(0, maxLineCharacters / 2) })
}

/** Bounded in lines and characters, so that a noisy part costs others their past, not the server its memory. */
export function createLogTail(): LogTail {
  const subscribers = new Set<(line: string) => void>()
  let lines: string[] = []
  let characters = 0
  /** Lines before it are gone; they are cut off together, since shifting each would move all others. */
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
