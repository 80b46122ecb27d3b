import type { LogTail } from '../../../logging/logTail.ts'
import { passes, type LogFilter } from './logFilter.ts'
import { toLogLine, type LogLine } from './logLine.ts'
import { recentLines } from './recentLines.ts'

export interface LogStreams {
  /** An endless answer of server-sent events, or null where too many are open already. */
  open(filter: LogFilter): Response | null
  /** Ends them all. */
  close(): void
}

/** Lines that a page starts with, and that it is sent at most each time. */
export const mostShown = 300
const mostAtOnce = 100
const everyMs = 250
/** Proxies and idle timeouts want to see something. */
const beatMs = 20_000
const mostStreams = 8

/**
 * The log as it grows. The event `start` brings what was there (newest first), `lines` what came since (oldest
 * first), `lost` how many were left out: a reader is told at most 100 lines every 250 ms, so that neither a noisy
 * house nor a slow reader costs memory.
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
          let quietSince = Date.now()
          const say = (event: string, data: unknown): void => {
            controller.enqueue(text.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
            quietSince = Date.now()
          }
          say('start', recentLines(tail, filter, mostShown))
          const leave = tail.subscribe((json) => {
            const line = toLogLine(json)
            if (!passes(line, filter)) return
            if (waiting.length < mostAtOnce) waiting.push(line)
            else lost++
          })
          const timer = setInterval(() => {
            // Whoever doesn't read is not written to; what is lost meanwhile is said afterwards.
            if ((controller.desiredSize ?? 0) <= 0) return
            if (waiting.length > 0) say('lines', waiting)
            if (lost > 0) say('lost', lost)
            waiting = []
            lost = 0
            if (Date.now() - quietSince >= beatMs) {
              controller.enqueue(text.encode(': still here\n\n'))
              quietSince = Date.now()
            }
          }, everyMs)
          end = () => {
            clearInterval(timer)
            leave()
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
      if (ends.size >= mostStreams) return null
      return new Response(open(filter), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    },
    close() {
      for (const end of ends) end()
    },
  }
}
