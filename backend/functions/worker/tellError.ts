import { inspect } from 'node:util'

/** Whether a line of a trace names the worker's own code or Node's, where nobody looks for their mistake. */
const isNotTheirs = (line: string): boolean =>
  /^\s+at /.test(line) &&
  // Behind it stand the error's own fields.
  !line.endsWith('{') &&
  (line.includes(import.meta.url) || /node:[\w/]+:\d+:\d+\)?$/.test(line))

/** An error with its trace, as far as that is the function's own. */
export function renderError(error: unknown): string {
  const whole = inspect(error)
  const lines = whole.split('\n')
  const theirs = lines.filter((line) => !isNotTheirs(line))
  const hasPlace = theirs.some((line) => /^\s+at /.test(line))
  return hasPlace ? theirs.join('\n') : whole
}

/** Writes an error of the function, with its trace, where its own output goes. */
export function tellError(error: unknown): void {
  process.stderr.write(`${renderError(error)}\n`)
}
