import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchTable } from './table.ts'

/** The last run of a part. */
export interface StoredResult extends BenchTable {
  commit: string
  /** ISO time of the start. */
  startedAt: string
  /** Duration until the last stored row. */
  seconds: number
  /** Whether all rows were measured. */
  isComplete: boolean
}

const folder = (root: string): string => join(root, 'dist', 'bench')

/** Returns a function that stores what a part has measured so far, in place of its last run. */
export function openResult(
  root: string,
  name: string,
): (table: Omit<BenchTable, 'name'>, isComplete: boolean) => void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const start = new Date()
  const path = join(folder(root), `${name}.json`)
  return (table, isComplete) => {
    mkdirSync(folder(root), { recursive: true })
    const seconds = Math.round((Date.now() - start.getTime()) / 1_000)
    const result: StoredResult = {
      name,
      commit,
      startedAt: start.toISOString(),
      seconds,
      isComplete,
      ...table,
    }
    writeFileSync(`${path}.new`, JSON.stringify(result, null, 2))
    renameSync(`${path}.new`, path)
  }
}

/** The results of the last runs, by the name of the part. */
export function readResults(root: string): StoredResult[] {
  mkdirSync(folder(root), { recursive: true })
  return readdirSync(folder(root))
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(folder(root), file), 'utf8')) as StoredResult)
}
