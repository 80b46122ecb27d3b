import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { globPattern } from '../globPattern.ts'
import { isRegularFile } from './readSource.ts'

/** So that a pattern such as `/**` does not read a whole disk. */
const maxFiles = 5000

/** Pseudo file systems, where reading may not end or may block. */
const kernelFolders = new Set(['/dev', '/proc', '/sys'])

function* filesBelow(folder: string): Generator<string> {
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return
  }
  for (const entry of entries) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!kernelFolders.has(path)) yield* filesBelow(path)
    } else if (isRegularFile(path)) yield path
  }
}

/** The files that match absolute globs now. */
export function listStaticFiles(globs: string[]): string[] {
  const found = new Set<string>()
  for (const glob of globs) {
    const pattern = globPattern(glob)
    const plain = glob.slice(0, glob.search(/[*?[]|$/))
    let visited = 0
    if (plain === glob) found.add(glob)
    else
      for (const path of filesBelow(plain.slice(0, plain.lastIndexOf('/')) || '/')) {
        if (pattern.test(path)) found.add(path)
        if (++visited >= maxFiles) break
      }
  }
  return [...found]
}
