import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a file so that a power failure leaves the old or the new one, and the new one after the return. */
export function replaceFile(file: string, text: string): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.new`, file)
  syncFolder(dirname(file))
}

/** Removes a file so that it does not return after a power failure. */
export function removeFile(file: string): void {
  rmSync(file, { force: true })
  syncFolder(dirname(file))
}

/** Renames a directory so that the new name lasts after a power failure. */
export function moveFolder(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(from))
  if (dirname(to) !== dirname(from)) syncFolder(dirname(to))
}

/** The content of a JSON file; null if it is missing or incomplete. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}
