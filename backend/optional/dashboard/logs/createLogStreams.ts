import type { LogTail } from '../../../logging/logTail.ts'
import { matches, type LogFilter } from './logFilter.ts'
import { toLogLine, type LogLine } from './logLine.ts'
import { recentLines } from './recentLines.ts'

export interface LogStreams {
  /** A stream of server-sent events, or null if too many are open. */
  open(filter: LogFilter): Response | null
  /** Ends all streams. */
  close(): void
}

/** Number of lines that a page starts with. */
export const maxInitialLines = 300
const maxLinesPerBatch = 100
const batchIntervalMs = 250
/** Keeps the connection open through proxies and idle timeouts. */
const keepAliveMs = 20_000
const maxStreams = 8

/**
 * Streams the log. The event `start` contains recent lines (newest first), `lines` new ones (oldest first), `lost` the
 * number of lines left out: a client receives at most 100 lines per 250 ms, which bounds memory for busy servers and
 * slow clients.
 */
export function createLogStreams(tail: LogTail): LogStreams {
  const ends = new Set<() => void>()
  const text = new TextEncoder()

  const open = (filter: LogFilter): ReadableStream<Uint8Array> => {
    let end = (): void => {}
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          let waiting: LogLine[] = []
          let lost = 0
          let lastSentAt = Date.now()
          const send = (event: string, data: unknown): void => {
            controller.enqueue(text.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
            lastSentAt = Date.now()
          }
          send('start', recentLines(tail, filter, maxInitialLines))
          const unsubscribe = tail.subscribe((json) => {
            const line = toLogLine(json)
            if (!matches(line, filter)) return
            if (waiting.length < maxLinesPerBatch) waiting.push(line)
            else lost++
          })
          const timer = setInterval(() => {
            // Nothing is written to a client that does not read. It receives the number of lost lines later.
            if ((controller.desiredSize ?? 0) <= 0) return
            if (waiting.length > 0) send('lines', waiting)
            if (lost > 0) send('lost', lost)
            waiting = []
            lost = 0
            if (Date.now() - lastSentAt >= keepAliveMs) {
              controller.enqueue(text.encode(': keep-alive\n\n'))
              lastSentAt = Date.now()
            }
          }, batchIntervalMs)
          end = () => {
            clearInterval(timer)
            unsubscribe()
            ends.delete(closeStream)
          }
          const closeStream = (): void => {
            end()
            controller.close()
          }
          ends.add(closeStream)
        },
        cancel: () => end(),
      },
      { highWaterMark: 16 },
    )
  }

  return {
    open(filter) {
      if (ends.size >= maxStreams) return null
      return new Response(open(filter), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    },
    close() {
      for (const end of ends) end()
    },
  }
}
