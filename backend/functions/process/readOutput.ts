import type { Readable } from 'node:stream'

/** Maximum characters of a line. */
const maxLineLength = 4_096
/** Bytes read and lines logged per time span: a function with excessive output is slowed down. */
const spanMs = 100
const bytesPerSpan = 262_144
const linesPerSpan = 100

/**
 * Reads the lines of a worker's output, truncated. Of more than 1,000 lines per second the rest is counted and reported
 * as a number; above 2.5 MB per second the writer is blocked.
 */
export function readOutput(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  let bytes = 0
  let lines = 0
  let dropped = 0
  let timer: NodeJS.Timeout | null = null

  const endSpan = (): void => {
    timer = null
    if (dropped > 0) onLine(`… ${dropped} further lines were dropped`)
    bytes = 0
    lines = 0
    dropped = 0
    stream.resume()
  }
  const line = (text: string): void => {
    if (lines >= linesPerSpan) {
      dropped++
      return
    }
    lines++
    onLine(text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text)
  }

  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    timer ??= setTimeout(endSpan, spanMs)
    bytes += chunk.length
    if (bytes >= bytesPerSpan) stream.pause()
    let at = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
      line(rest + chunk.slice(at, end).replace(/\r$/, ''))
      rest = ''
      at = end + 1
    }
    // An incomplete line is buffered up to the maximum length.
    if (rest.length <= maxLineLength) rest += chunk.slice(at, at + maxLineLength + 1)
  })
  stream.on('error', () => {})
  stream.on('close', () => {
    if (rest !== '') line(rest)
    if (timer) clearTimeout(timer)
    if (dropped > 0) onLine(`… ${dropped} further lines were dropped`)
  })
}
