import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The text of a test, so that a ledger can check that it covers its subject: from its title to the end of its
 * block, as oxfmt writes it; null where there is none.
 */
export function caseOf(folder: string, file: string, title: string): string | null {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n')
  const start = lines.findIndex((line) => line.includes(`'${title}'`) || line.includes(`"${title}"`))
  if (start < 0) return null
  const indent = /^ */.exec(lines[start]!)![0]
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith(`${indent}}`))
  return lines.slice(start, start + 1 + length).join('\n')
}
