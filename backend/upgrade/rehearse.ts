import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../postgres/server/StartError.ts'
import { writeRestoreMarker } from '../restore/marker.ts'
import { requestLocally } from '../runtime/requestLocally.ts'
import { copyForRehearsal } from './copyRunningData.ts'
import { rootOfRelease, workDirectory } from './installedReleases.ts'
import { startRelease } from './startRelease.ts'

/** Files of a data folder that a start reads, besides PostgreSQL's. */
const copiedFiles = ['secrets.json', 'schema.digest', 'linnet.toml', 'settings.json']

const requestTimeoutMs = 30_000

/** Paths that each service serves with the secret key. Every request reads the migrated database, apart from the first. */
const checkedPaths = [
  '/health',
  '/auth/v1/health',
  '/rest/v1/',
  '/auth/v1/admin/users?per_page=1',
  '/storage/v1/bucket',
]

async function checkHealth(url: string, secretKey: string): Promise<void> {
  for (const path of checkedPaths) {
    const response = await requestLocally(`${url}${path}`, {
      headers: { apikey: secretKey },
      timeoutMs: requestTimeoutMs,
    }).catch((error: Error) => ({ status: 0, text: error.message }))
    if (response.status === 200) continue
    throw new StartError(`${path} responds with ${response.status}: ${response.text.slice(0, 300)}`)
  }
}

/**
 * Starts a release on a copy of the data, with its migrations, and checks that all services respond. Nothing is sent to other
 * servers, and the data themselves are not used. Throws StartError with the reason if anything fails.
 * @param o.copy a folder with a copy of PostgreSQL's files, which stays as it is
 * @param o.args arguments of `linnet start` that select the schema
 * @param o.timeoutMs milliseconds that the move to another version of PostgreSQL, the migrations and the start may take
 * @returns the milliseconds between the start and the moment at which the release could accept requests
 */
export async function rehearse(o: {
  dataDir: string
  release: string
  copy: { folder: string }
  args: readonly string[]
  timeoutMs: number
}): Promise<number> {
  const folder = workDirectory(o.dataDir, 'rehearsal')
  await rm(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o711 })
  try {
    await copyForRehearsal(o.copy, folder)
    for (const name of copiedFiles) {
      if (existsSync(join(o.dataDir, name))) copyFileSync(join(o.dataDir, name), join(folder, name))
    }
    // As in a restored backup: mails that wait in the queue of the copy must not be sent from it.
    writeRestoreMarker(folder, {
      id: randomUUID(),
      restoredAt: new Date().toISOString(),
      recoveredTo: null,
      backup: o.copy.folder,
    })
    const release = await startRelease({
      root: rootOfRelease(o.dataDir, o.release),
      kind: 'rehearsal',
      args: [...o.args, '--no-app', '--data', folder],
      output: 'collected',
    })
    try {
      const startedAt = performance.now()
      await release.prepare(o.timeoutMs)
      const preparedAt = performance.now()
      const { url, secretKey } = await release.serve()
      await checkHealth(url, secretKey)
      return preparedAt - startedAt
    } finally {
      await release.end()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
