import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, posix, relative, sep } from 'node:path'
import { StartError } from '../server/StartError.ts'
import { expandGlob } from './expandGlob.ts'

/** A file of statements that runs once for data that are new. */
export interface OneTimeFile {
  /** How the Supabase CLI records it: from the folder above, with slashes ("supabase/seed.sql"). */
  name: string
  path: string
}

export const defaultSeeds: readonly string[] = ['./seed.sql']

/** `roles.sql`, where there is one: the CLI runs it before the first migration. */
export function findRolesFile(dir: string): OneTimeFile | null {
  const path = join(dir, 'roles.sql')
  return existsSync(path) ? toFile(dir, path) : null
}

/**
 * The seed files that `patterns` of `[db.seed] sql_paths` name, relative to the supabase folder: in the order
 * of the patterns, by name within one, each once. `unmatched` are patterns that name no file.
 */
export function listSeeds(
  dir: string,
  patterns: readonly string[],
): { files: OneTimeFile[]; unmatched: string[] } {
  const files = new Map<string, OneTimeFile>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const paths = expandGlob(dir, pattern)
    if (paths.length === 0) unmatched.push(pattern)
    for (const path of paths) if (!files.has(path)) files.set(path, toFile(dir, path))
  }
  return { files: [...files.values()], unmatched }
}

/** The text of a file and the hash that the CLI records. Throws StartError. */
export function readOneTimeFile({ name, path }: OneTimeFile): { sql: string; hash: string } {
  try {
    const bytes = readFileSync(path)
    return { sql: bytes.toString('utf8'), hash: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    throw new StartError(`${name} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function toFile(dir: string, path: string): OneTimeFile {
  const inside = relative(dir, path).split(sep).join('/')
  return { name: posix.join('supabase', inside) || basename(path), path }
}
