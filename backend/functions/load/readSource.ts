import { readFileSync, statSync } from 'node:fs'

/** Whether a regular file is there: folders, pipes and devices are none, nor is what can't be looked at. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * The bytes of a file that a project names. Throws the error of the file system, or a sentence where it is no regular
 * file: a pipe or device may never end, and the house would wait.
 */
export function readSource(path: string): Buffer {
  if (statSync(path).isFile()) return readFileSync(path)
  throw new Error('it is no file')
}
