/** The part of a stream that lines go to. */
interface Sink {
  write(text: string): unknown
}

/**
 * Gathers the lines of one turn of the event loop and writes them together: a line a request would otherwise be
 * a system call a request. Nothing waits longer than the turn.
 */
export function createLineWriter(sink: Sink): (line: string) => void {
  let waiting: string[] = []
  const flush = (): void => {
    const text = `${waiting.join('\n')}\n`
    waiting = []
    sink.write(text)
  }
  return (line) => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push(line)
  }
}
