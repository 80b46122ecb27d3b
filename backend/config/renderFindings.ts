import type { Findings } from './readTree.ts'

/** `[table]` if several of its keys are affected, else the key. */
function renderPaths(paths: string[][]): string {
  const tables = new Map<string, string[]>()
  for (const path of paths) {
    const table = path.slice(0, -1).join('.')
    tables.set(table, [...(tables.get(table) ?? []), path.join('.')])
  }
  return [...tables].map(([table, keys]) => (keys.length > 1 ? `[${table}]` : keys[0]!)).join(', ')
}

/** One line for each kind of finding. */
export function renderFindings(...files: Findings[]): string[] {
  const unknown = files.flatMap((one) => one.unknown)
  const unsupported = new Map<string, string[][]>()
  for (const [why, paths] of files.flatMap((one) => [...one.unsupported])) {
    unsupported.set(why, [...(unsupported.get(why) ?? []), ...paths])
  }
  const unset = new Set<string>()
  for (const one of files) for (const name of one.unset) unset.add(name)
  const lines: string[] = []
  if (unknown.length > 0) lines.push(`Unknown keys: ${unknown.join(', ')}.`)
  if (unsupported.size > 0) {
    const parts = [...unsupported].map(([why, paths]) => `${renderPaths(paths)} (${why})`)
    lines.push(`These keys have no effect: ${parts.join('; ')}.`)
  }
  if (unset.size > 0) lines.push(`These environment variables are not set: ${[...unset].join(', ')}.`)
  return lines
}
