import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from '../runtime/durableFiles.ts'

/** `restored.json`: these data are a restored copy, and nobody has confirmed yet that the original is gone. */
export interface RestoreMarker {
  /** A UUID. */
  id: string
  /** ISO 8601. */
  restoredAt: string
  /** The moment whose state was restored, ISO 8601; null if it is unknown. */
  recoveredTo: string | null
  /** The id of the backup. */
  backup: string
}

const fileOf = (dataDir: string): string => join(dataDir, 'restored.json')

/** Null where the data are no restored copy, or the restore was confirmed. A damaged file counts as a restored copy. */
export function readRestoreMarker(dataDir: string): RestoreMarker | null {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return JSON.parse(text) as RestoreMarker
  } catch {
    return {
      id: '00000000-0000-0000-0000-000000000000',
      restoredAt: new Date(0).toISOString(),
      recoveredTo: null,
      backup: 'unknown',
    }
  }
}

/** Marks data as a restored copy, atomically. */
export function writeRestoreMarker(dataDir: string, marker: RestoreMarker): void {
  replaceFileSync(fileOf(dataDir), `${JSON.stringify(marker, null, 2)}\n`)
}

/** Removes the mark after the confirmation. */
export function removeRestoreMarker(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}
