import { inspect } from 'node:util'

/** Writes an error of the function, with its trace, where its own output goes. */
export function tellError(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`)
}
