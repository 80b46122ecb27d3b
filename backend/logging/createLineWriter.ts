/** The part of a stream that this writer uses. */
interface Sink {
  write(text: string): unknown
}

/** Milliseconds between two writes: under load, one write per line would be nearly one system call per request. */
const gatherMs = 20

/**
 * Batches lines into one write. The first line after a pause is written at the end of its turn of the event loop, those
 * that follow `gatherMs` later at most. Buffered lines are written before the process exits.
 */
export function createLineWriter(sink: Sink): (line: string) => void {
  let waiting: string[] = []
  let writtenAt = -Infinity
  const flush = (): void => {
    process.removeListener('exit', flush)
    if (waiting.length === 0) return
    const text = `${waiting.join('\n')}\n`
    waiting = []
    writtenAt = performance.now()
    sink.write(text)
  }
  return (line) => {
    waiting.push(line)
    if (waiting.length > 1) return
    process.once('exit', flush)
    const pause = writtenAt + gatherMs - performance.now()
    if (pause > 0) setTimeout(flush, pause)
    else setImmediate(flush)
  }
}
