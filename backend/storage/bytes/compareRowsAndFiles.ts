import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface Difference {
  /** Rows of `storage.objects` that name no file. */
  withoutBytes: number
  /** Files that no row names, and that no upload or deletion under way accounts for. */
  withoutRow: number
}

/**
 * Where rows and files do not name each other, while the service may be at work: what differs is looked at twice,
 * since an object may come or go between the two readings.
 * @param dir the folder of the byte store
 * @param readVersions the `version` of every row
 */
export async function compareRowsAndFiles(
  dir: string,
  readVersions: () => Promise<readonly (string | null)[]>,
): Promise<Difference> {
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
    ).length,
    withoutRow: extra.filter(
      (file) => !current.has(file) && fileExists(file) && !existsSync(join(dir, 'journal', file)),
    ).length,
  }
}
