import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalFinding, limitDetails, type LocalFinding } from './LocalFinding.ts'

/** A file or folder that interrupted work has left behind. */
export interface Leftover {
  path: string
  bytes: number
}

/** Judges what interrupted work has left behind. */
export function judgeLeftovers(leftovers: readonly Leftover[]): LocalFinding[] {
  if (leftovers.length === 0) return [createLocalFinding('leftovers.none', {})]
  const bytes = leftovers.reduce((sum, leftover) => sum + leftover.bytes, 0)
  return [
    createLocalFinding(
      'leftovers.found',
      { entries: leftovers.length, bytes },
      { details: limitDetails(leftovers.map(({ path }) => path)) },
    ),
  ]
}

/** Names in the data folder: files that were about to be renamed, locks that were about to be removed, unfinished databases. */
const leftoverNames = [
  /^[\w-]+\.(json|digest)\.new(\.[0-9a-f]+)?$/,
  /^linnet\.lock\.(new|\d+)$/,
  /^postgres\.new(-\d+)?(\.password)?$/,
]
/** Names in folders of the data folder. */
const leftoversIn: [folder: string, name: RegExp][] = [
  ['backups', /\.partial$/],
  ['backup-state', /\.new\.[0-9a-f]+$/],
  ['postgres', /^(pgsql_tmp\.)?linnet-.*\.new(\.[0-9a-f]+)?$/],
]

/**
 * Finds what interrupted work has left behind. Call it only while no server uses the data: these files also exist for a
 * moment while a server works.
 */
export function findLeftovers(dataDir: string): Leftover[] {
  const found = list(dataDir).filter((name) => leftoverNames.some((pattern) => pattern.test(name)))
  // The lock and the description of a server exist as long as it runs, and remain only if it was killed.
  found.push(...['linnet.lock', 'running.json'].filter((name) => existsSync(join(dataDir, name))))
  for (const [folder, pattern] of leftoversIn)
    found.push(
      ...list(join(dataDir, folder))
        .filter((name) => pattern.test(name))
        .map((name) => join(folder, name)),
    )
  return found.map((name) => ({ path: join(dataDir, name), bytes: sizeOf(join(dataDir, name)) }))
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The size of a file, or of all files in a folder. */
function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.size
  return list(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
