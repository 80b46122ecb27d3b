/** The part of a stream that lines go to. */
interface Sink {
  write(text: string): unknown
}

/** Milliseconds between two writes: under load a line a request would else be nearly a system call a request. */
const gatherMs = 20

/**
 * Gathers lines and writes them together: a line after a pause at the end of its turn of the event loop, those
 * that follow some milliseconds later at most. What waits when the process exits is written first.
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
