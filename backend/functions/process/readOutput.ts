import type { Readable } from 'node:stream'

/** Characters of a line that are kept. */
const longestLine = 4_096
/** What is read, and how many lines are kept, in one span: a function that prints for ever waits for us. */
const spanMs = 100
const bytesPerSpan = 262_144
const linesPerSpan = 100

/**
 * Tells the lines of a worker's output, cut to length. Of more than 1,000 lines a second the rest is counted and
 * told as a number; beyond 2.5 MB a second the writer has to wait.
 */
export function readOutput(stream: Readable, tell: (line: string) => void): void {
  let rest = ''
  let bytes = 0
  let lines = 0
  let dropped = 0
  let timer: NodeJS.Timeout | null = null

  const span = (): void => {
    timer = null
    if (dropped > 0) tell(`… ${dropped} lines more were not kept`)
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
    tell(text.length > longestLine ? `${text.slice(0, longestLine)}…` : text)
  }

  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    timer ??= setTimeout(span, spanMs)
    bytes += chunk.length
    if (bytes >= bytesPerSpan) stream.pause()
    let at = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
      line(rest + chunk.slice(at, end).replace(/\r$/, ''))
      rest = ''
      at = end + 1
    }
    // What has no end is kept as far as it would be told.
    if (rest.length <= longestLine) rest += chunk.slice(at, at + longestLine + 1)
  })
  stream.on('error', () => {})
  stream.on('close', () => {
    if (rest !== '') line(rest)
    if (timer) clearTimeout(timer)
    if (dropped > 0) tell(`… ${dropped} lines more were not kept`)
  })
}
