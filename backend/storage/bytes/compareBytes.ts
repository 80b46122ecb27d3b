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
export async function compareBytes(
  dir: string,
  readVersions: () => Promise<readonly (string | null)[]>,
): Promise<Difference> {
  const objects = join(dir, 'objects')
  const isThere = (version: string): boolean => existsSync(join(objects, version.slice(0, 2), version))
  const entries = existsSync(objects) ? await readdir(objects, { recursive: true, withFileTypes: true }) : []
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  const versions = new Set(await readVersions())
  const absent = [...versions].filter((version) => version === null || !files.has(version))
  const spare = [...files].filter((file) => !versions.has(file))
  const again = spare.length + absent.length > 0 ? await readVersions() : []
  const current = new Set(again)
  return {
    withoutBytes: again.filter(
      (version) => version === null || (absent.includes(version) && !isThere(version)),
    ).length,
    withoutRow: spare.filter(
      (file) => !current.has(file) && isThere(file) && !existsSync(join(dir, 'journal', file)),
    ).length,
  }
}
