import type { LogEntry, Logger } from '../logging/logger.ts'
import { describeEvent, type CommandLine } from './describeEvent.ts'

/** An event with the same text is printed again after this time, with the number of its occurrences. */
const repeatIntervalMs = 60 * 60_000
/** Lines within one minute; further events are in the log file only. */
const maxLinesPerMinute = 20
/** Different texts that are remembered. */
const maxRememberedTexts = 500

/** Events that a person who changes the project at this moment waits for. */
const changeEvents =
  /^(schema\.(file|migration|seed)_applied|functions\.output|rest\.schema_loaded|gateway\.certificate_renewed)$/

/** Warnings that the text after the start states too. */
const greetedEvents: ReadonlySet<string> = new Set(['server.outgoing_paused'])

/** Events of level info that the person has to know. */
const notices: ReadonlySet<string> = new Set(['server.project_missing'])

/**
 * Creates the log of a server for the terminal of a person: warnings and errors in words, each once an hour. The log file
 * has all events. PostgreSQL's errors about single statements are returned to their callers and are left out.
 * @param o.showChanges also prints what follows a change of the project, and the output of its functions
 */
export function createTerminalLog(o: {
  print: (line: string) => void
  showChanges?: boolean
  commandLine: CommandLine
  now?: () => number
}): Logger {
  const { print, commandLine, now = Date.now } = o
  const remembered = new Map<string, { printedAt: number; omitted: number }>()
  let minute = { startedAt: -Infinity, lines: 0 }

  /** False if this minute has had its lines. */
  const takeLine = (): boolean => {
    if (now() - minute.startedAt >= 60_000) minute = { startedAt: now(), lines: 0 }
    minute.lines++
    if (minute.lines === maxLinesPerMinute)
      print(`There are more events: "${commandLine('logs -f')}" shows all events.`)
    return minute.lines < maxLinesPerMinute
  }

  const printOnce = (label: string, entry: LogEntry): void => {
    const line = `${label}: ${describeEvent(entry, commandLine)}`
    const known = remembered.get(line)
    if (known && now() - known.printedAt < repeatIntervalMs) {
      known.omitted++
      return
    }
    if (!takeLine()) return
    remembered.delete(line)
    if (remembered.size >= maxRememberedTexts) remembered.delete(remembered.keys().next().value!)
    remembered.set(line, { printedAt: now(), omitted: 0 })
    const repeated = known && known.omitted > 0 ? ` (${known.omitted + 1} times in the last hour)` : ''
    print(`${line}${repeated}`)
  }

  const isStatementError = ({ event, line }: LogEntry): boolean =>
    event === 'postgres.output' && typeof line === 'string' && !/^(WARNING|PANIC):/.test(line)

  const emit = (
    level: LogEntry['level'],
    event: LogEntry['event'],
    fields?: Record<string, unknown>,
  ): void => {
    const entry: LogEntry = { time: '', level, event, ...fields }
    if (notices.has(event) || (o.showChanges && changeEvents.test(event)))
      return print(describeEvent(entry, commandLine))
    // The mail itself stays out of the terminal, whose lines can be stored: its code signs in.
    if (event === 'auth.mail_stored') {
      if (takeLine()) print(`${describeEvent(entry, commandLine)} "${commandLine('mailbox')}" prints it.`)
      return
    }
    if (level === 'info' || greetedEvents.has(event) || isStatementError(entry)) return
    printOnce(level === 'error' ? 'Error' : 'Warning', entry)
  }
  return {
    info: (event, fields) => emit('info', event, fields),
    warn: (event, fields) => emit('warn', event, fields),
    error: (event, fields) => emit('error', event, fields),
  }
}
