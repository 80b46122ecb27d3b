import { existsSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join, posix, sep } from 'node:path'

/** The files that a pattern names, by name. As Go's `fs.Glob`: `*`, `?` and `[a-z]` within one part of the path. */
export function expandGlob(dir: string, pattern: string): string[] {
  const parts = posix.normalize(pattern.split(sep).join('/')).split('/')
  let found = isAbsolute(pattern) ? ['/'] : [dir]
  for (const part of parts.filter((part) => part !== '')) {
    found = found.flatMap((folder) => {
      if (!/[*?[]/.test(part)) return existsSync(join(folder, part)) ? [join(folder, part)] : []
      if (!statSync(folder).isDirectory()) return []
      const shape = toPattern(part)
      return readdirSync(folder)
        .filter((name) => shape.test(name))
        .map((name) => join(folder, name))
    })
  }
  return found.filter((path) => statSync(path).isFile()).sort()
}

function toPattern(glob: string): RegExp {
  const source = glob.replace(/\[\^?[^\]]+\]|[\s\S]/g, (part) => {
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    return part.length > 1 ? part : part.replace(/[\\^$.|+(){}[\]]/, '\\$&')
  })
  return new RegExp(`^${source}$`)
}
