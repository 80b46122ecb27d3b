import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { globPattern } from '../globPattern.ts'
import { isRegularFile } from './readSource.ts'

/** So that a pattern such as `/**` can't make a load read a whole disk. */
const most = 5000

/** What looks like files there is the kernel's: some have no end, or wait for somebody to write. */
const kernels = new Set(['/dev', '/proc', '/sys'])

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
      if (!kernels.has(path)) yield* filesBelow(path)
    } else if (isRegularFile(path)) yield path
  }
}

/** The files that absolute globs name now. */
export function listStaticFiles(globs: string[]): string[] {
  const found = new Set<string>()
  for (const glob of globs) {
    const pattern = globPattern(glob)
    const plain = glob.slice(0, glob.search(/[*?[]|$/))
    let seen = 0
    if (plain === glob) found.add(glob)
    else
      for (const path of filesBelow(plain.slice(0, plain.lastIndexOf('/')) || '/')) {
        if (pattern.test(path)) found.add(path)
        if (++seen >= most) break
      }
  }
  return [...found]
}
