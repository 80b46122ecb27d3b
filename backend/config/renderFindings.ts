import type { Findings } from './readTree.ts'

/** `[table]` where several of its keys are meant, else the key. */
function renderPaths(paths: string[][]): string {
  const tables = new Map<string, string[]>()
  for (const path of paths) {
    const table = path.slice(0, -1).join('.')
    tables.set(table, [...(tables.get(table) ?? []), path.join('.')])
  }
  return [...tables].map(([table, keys]) => (keys.length > 1 ? `[${table}]` : keys[0]!)).join(', ')
}

/** One line for each kind of thing that a start says of the files; none where there is nothing to say. */
export function renderFindings(...files: Findings[]): string[] {
  const unknown = files.flatMap((one) => one.unknown)
  const unserved = new Map<string, string[][]>()
  for (const [why, paths] of files.flatMap((one) => [...one.unserved])) {
    unserved.set(why, [...(unserved.get(why) ?? []), ...paths])
  }
  const unset = new Set<string>()
  for (const one of files) for (const name of one.unset) unset.add(name)
  const lines: string[] = []
  if (unknown.length > 0) lines.push(`Nobody knows these keys: ${unknown.join(', ')}.`)
  if (unserved.size > 0) {
    const parts = [...unserved].map(([why, paths]) => `${renderPaths(paths)} (${why})`)
    lines.push(`These keys change nothing here: ${parts.join('; ')}.`)
  }
  if (unset.size > 0) lines.push(`Variables that it names are not set: ${[...unset].join(', ')}.`)
  return lines
}
