import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/** All files of a directory, without tests, which are not part of a build. */
const listSources = (/** @type {string} */ folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

/**
 * A hash of all sources of a build of these folders.
 * @param {string[]} folders
 * @param {string[]} [files] further sources
 */
export function hashSources(folders, files = []) {
  const hash = createHash('sha256')
  for (const file of [
    ...[...folders, 'bin/setup'].flatMap(listSources).sort(),
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    ...files,
  ]) {
    if (!existsSync(join(root, file))) continue
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}
