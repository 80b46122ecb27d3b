import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/** All files below `folders` in a fixed order, without tests, which are not part of a build. */
function listSources(folders) {
  const files = []
  const walk = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`
      if (entry.isDirectory()) walk(inner)
      else if (!/\.test\.tsx?$/.test(entry.name)) files.push(inner)
    }
  }
  for (const folder of folders) if (existsSync(join(root, folder))) walk(folder)
  return files.sort()
}

/** A hash of all sources of a build of these folders. */
export function hashSources(folders) {
  const hash = createHash('sha256')
  for (const file of [
    ...listSources([...folders, 'bin/setup']),
    'package-lock.json',
    'vite.config.ts',
    'bin/removeUnusedClientCode.ts',
    'bin/removeUnusedReactCode.ts',
    'bin/messageCatalogs.ts',
  ]) {
    if (!existsSync(join(root, file))) continue
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}
