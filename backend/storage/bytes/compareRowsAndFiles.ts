import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface Difference {
  /** Rows of `storage.objects` that name no file. */
  withoutBytes: number
  /** Files that no row names and no upload or deletion in progress explains. */
  withoutRow: number
}

/** The differences themselves. */
export interface DifferenceList {
  /** Versions of rows that name no file; null for a row without a version. */
  withoutBytes: (string | null)[]
  /** The names of files without a row, which are versions. */
  withoutRow: string[]
}

/** Counts the differences; see `listDifferences`. */
export async function compareRowsAndFiles(
  dir: string,
  readVersions: () => Promise<readonly (string | null)[]>,
): Promise<Difference> {
  const { withoutBytes, withoutRow } = await listDifferences(dir, readVersions)
  return { withoutBytes: withoutBytes.length, withoutRow: withoutRow.length }
}

/**
 * Finds rows without files and files without rows. The service may be running, so differences are checked a second time:
 * an object may be created or deleted between reading files and rows.
 * @param dir the folder of the byte store
 * @param readVersions the `version` of every row
 */
export async function listDifferences(
  dir: string,
  readVersions: () => Promise<readonly (string | null)[]>,
): Promise<DifferenceList> {
  const objects = join(dir, 'objects')
  const fileExists = (version: string): boolean => existsSync(join(objects, version.slice(0, 2), version))
  const entries = existsSync(objects) ? await readdir(objects, { recursive: true, withFileTypes: true }) : []
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  const versions = new Set(await readVersions())
  const missing = [...versions].filter((version) => version === null || !files.has(version))
  const extra = [...files].filter((file) => !versions.has(file))
  const secondReading = extra.length + missing.length > 0 ? await readVersions() : []
  const current = new Set(secondReading)
  return {
    withoutBytes: secondReading.filter(
      (version) => version === null || (missing.includes(version) && !fileExists(version)),
    ),
    withoutRow: extra.filter(
      (file) => !current.has(file) && fileExists(file) && !existsSync(join(dir, 'journal', file)),
    ),
  }
}
