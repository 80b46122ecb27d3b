import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/** Whether a path is a regular, accessible file: not a folder, pipe or device. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * The bytes of a file that a project names. Throws the error of the file system, or an error if it is not a regular
 * file: reading a pipe or device may never end.
 */
export function readSource(path: string): Buffer {
  if (statSync(path).isFile()) return readFileSync(path)
  throw new Error('it is not a file')
}

/** SHA-256 digest, to recognise identical content. */
export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')
