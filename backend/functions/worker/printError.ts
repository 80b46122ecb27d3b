import { inspect } from 'node:util'

/** Whether a line of a stack trace is in the worker's own code or in Node's. */
const isInternalFrame = (line: string): boolean =>
  /^\s+at /.test(line) &&
  // The error's own fields follow.
  !line.endsWith('{') &&
  (line.includes(import.meta.url) || /node:[\w/]+:\d+:\d+\)?$/.test(line))

/** An error with the part of its stack trace that is in the function's code. */
export function renderError(error: unknown): string {
  const full = inspect(error)
  const lines = full.split('\n')
  const ownLines = lines.filter((line) => !isInternalFrame(line))
  const hasPlace = ownLines.some((line) => /^\s+at /.test(line))
  return hasPlace ? ownLines.join('\n') : full
}

/** Writes an error of the function, with its stack trace, to its stderr. */
export function printError(error: unknown): void {
  process.stderr.write(`${renderError(error)}\n`)
}
