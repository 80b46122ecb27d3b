import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Config } from '../../config/loadConfig.ts'
import { expandGlob } from './expandGlob.ts'

/** A file that holds the final form of a part of the schema. */
export interface SchemaFile {
  /** Its path in the supabase folder, with slashes: `schemas/messages/reactions.sql`. */
  name: string
  path: string
}

/**
 * The files of `[db.migrations] schema_paths`, each once, in the order of the patterns. Without patterns: all SQL files below
 * `schemas` by name, as the official CLI does. `unmatched` are patterns that name no file.
 */
export function listSchemaFiles(config: Config): { files: SchemaFile[]; unmatched: string[] } {
  const patterns = config.at<string[]>('db.migrations.schema_paths', [])
  if (patterns.length === 0) return { files: allSchemaFiles(config.dir), unmatched: [] }
  const paths = new Set<string>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const found = expandGlob(config.dir, pattern)
    if (found.length === 0) unmatched.push(pattern)
    for (const path of found) paths.add(path)
  }
  return { files: [...paths].map((path) => toFile(config.dir, path)), unmatched }
}

/** All SQL files below `schemas`, by name. */
export function allSchemaFiles(dir: string): SchemaFile[] {
  const folder = join(dir, 'schemas')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => toFile(dir, join(folder, name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function toFile(dir: string, path: string): SchemaFile {
  return { name: relative(dir, path).split(sep).join('/'), path }
}
