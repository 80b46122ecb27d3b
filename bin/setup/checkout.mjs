import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout that contains this file. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Prints a line to stderr: stdout is for results. */
export const print = (/** @type {string} */ line) => process.stderr.write(`${line}\n`)

/**
 * Prints a message and ends the process.
 * @param {string} sentence
 * @returns {never}
 */
export function fail(sentence) {
  print(sentence)
  process.exit(1)
}

/** Ends the process with a message if this user can't write to the checkout, as is common for services. */
export function requireWritable() {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    fail(
      `Linnet has changed since it was built, and this user can't write to ${root}. As the user who owns it, run: bin/linnet build`,
    )
  }
}

/** The content of a file; empty if it can't be read. */
export function readIfExists(/** @type {string} */ file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
