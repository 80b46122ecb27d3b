import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectToUrl } from '../../backend/postgres/connections/connectToUrl.ts'
import { compareRowsAndFiles, type Difference } from '../../backend/storage/bytes/compareRowsAndFiles.ts'

/** Differences between rows and files, in sentences; empty when they agree. */
export function describeDifference(difference: Difference | null, leftOver: string[]): string[] {
  if (difference === null) return ['rows and files could not be compared']
  const { withoutBytes, withoutRow } = difference
  return [
    ...(withoutBytes > 0 ? [`${withoutBytes} objects have no bytes`] : []),
    ...(withoutRow > 0 ? [`${withoutRow} files belong to no object`] : []),
    ...leftOver.map((name) => `${name} is left over`),
  ]
}

async function readDifference(server: { dbUrl: string; dataDir: string }): Promise<Difference | null> {
  try {
    const client = await connectToUrl(server.dbUrl, 'crash test')
    try {
      return await compareRowsAndFiles(join(server.dataDir, 'storage'), async () => {
        const { rows } = await client.query<{ version: string | null }>('select version from storage.objects')
        return rows.map(({ version }) => version)
      })
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/**
 * Compares the rows of stored objects with their files.
 * @param isSwept whether a start has just swept what a kill left over, and nothing was uploaded since
 */
export async function checkStore(
  server: { dbUrl: string; dataDir: string },
  isSwept: boolean,
): Promise<string[]> {
  const leftOver = (isSwept ? ['incoming', 'journal'] : []).flatMap((folder) => {
    const dir = join(server.dataDir, 'storage', folder)
    return existsSync(dir) ? readdirSync(dir).map((name) => join(folder, name)) : []
  })
  return describeDifference(await readDifference(server), leftOver)
}
