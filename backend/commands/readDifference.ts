import { join } from 'node:path'
import { openUrl } from '../postgres/connections/openUrl.ts'
import { compareBytes } from '../storage/bytes/compareBytes.ts'
import type { Difference } from '../storage/bytes/compareBytes.ts'

/** Where the rows of stored objects and their files differ; null where the database does not answer. */
export async function readDifference(dbUrl: string, dataDir: string): Promise<Difference | null> {
  try {
    const client = await openUrl(dbUrl, 'linnet status')
    try {
      return await compareBytes(join(dataDir, 'storage'), async () => {
        const { rows } = await client.query<{ version: string | null }>('select version from storage.objects')
        return rows.map((row) => row.version)
      })
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/** A line for people, or none where rows and files agree. */
export function renderDifference(difference: Difference | null): string[] {
  if (difference === null || difference.withoutBytes + difference.withoutRow === 0) return []
  return [
    `Files        ${difference.withoutBytes} objects have no bytes, ${difference.withoutRow} files belong to no object`,
  ]
}
